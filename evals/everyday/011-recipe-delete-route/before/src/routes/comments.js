const express = require("express");
const requireUser = require("../middleware/requireUser");
const comments = require("../controllers/comments");

const router = express.Router({ mergeParams: true });

router.get("/", comments.list);
router.post("/", requireUser, comments.create);
router.put("/:id", requireUser, comments.update);

module.exports = router;
