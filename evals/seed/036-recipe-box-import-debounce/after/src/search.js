import { render } from "./render.js";
import { recipes } from "./storage.js";
import { debounce } from "./util/debounce.js";

const input = document.querySelector("#search");
const list = document.querySelector("#results");

function score(recipe, words) {
  let points = 0;
  for (const word of words) {
    if (recipe.title.toLowerCase().includes(word)) points += 3;
    if (recipe.tags.includes(word)) points += 2;
    if (recipe.ingredients.some((item) => item.name.includes(word))) points += 1;
  }
  return points;
}

export function find(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return recipes();
  return recipes()
    .map((recipe) => ({ recipe, points: score(recipe, words) }))
    .filter((hit) => hit.points > 0)
    .sort((a, b) => b.points - a.points)
    .map((hit) => hit.recipe);
}

const update = debounce(() => {
  list.replaceChildren(...find(input.value).map(render));
}, 150);

input.addEventListener("input", update);
