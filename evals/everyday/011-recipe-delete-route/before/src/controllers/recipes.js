const store = require("../store");

exports.list = async (req, res) => {
  res.json(await store.recipes.find({ tag: req.query.tag }));
};

exports.show = async (req, res) => {
  const recipe = await store.recipes.get(req.params.id);
  if (!recipe) {
    return res.status(404).json({ error: "no such recipe" });
  }
  res.json(recipe);
};

exports.create = async (req, res) => {
  const recipe = await store.recipes.add({ ...req.body, author: req.user.id });
  res.status(201).json(recipe);
};

exports.update = async (req, res) => {
  res.json(await store.recipes.change(req.params.id, req.body));
};

exports.remove = async (req, res) => {
  await store.recipes.drop(req.params.id);
  res.status(204).end();
};
