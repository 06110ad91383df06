const express = require("express");
const session = require("./middleware/session");

const app = express();

app.use(express.json());
app.use(session);
app.use("/recipes", require("./routes/recipes"));
app.use("/recipes/:recipeId/comments", require("./routes/comments"));

module.exports = app;
