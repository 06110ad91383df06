const KEY = "recipe-box";

export function recipes() {
  return JSON.parse(localStorage.getItem(KEY) ?? "[]");
}

export function save(recipe) {
  const others = recipes().filter((known) => known.id !== recipe.id);
  localStorage.setItem(KEY, JSON.stringify([...others, recipe]));
}
