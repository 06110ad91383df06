export function render(recipe) {
  const item = document.createElement("li");
  const title = document.createElement("h3");
  title.textContent = recipe.title;
  const info = document.createElement("small");
  info.textContent = `${recipe.minutes} min, ${recipe.tags.join(", ")}`;
  item.append(title, info);
  return item;
}
