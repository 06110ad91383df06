const express = require("express");
const requireUser = require("../middleware/requireUser");
const recipes = require("../controllers/recipes");

const router = express.Router();

router.get("/", recipes.list);
router.get("/:id", recipes.show);
router.post("/", requireUser, recipes.create);
router.put("/:id", requireUser, recipes.update);
router.delete("/:id", requireUser, recipes.remove);

module.exports = router;
