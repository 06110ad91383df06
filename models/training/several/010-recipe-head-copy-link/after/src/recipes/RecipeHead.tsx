import { useState } from "react";

import { Stars } from "../ui/Stars";
import type { Recipe } from "./types";

interface Props {
  recipe: Recipe;
  onRate(stars: number): void;
}

export function RecipeHead({ recipe, onRate }: Props) {
  const [folded, setFolded] = useState(false);

  return (
    <header className="recipe-head">
      <h1>{recipe.title}</h1>
      <p className="by">by {recipe.author}</p>
      <Stars value={recipe.rating} onChange={onRate} />
      <span className="minutes">{recipe.minutes} min</span>
      <button type="button" onClick={() => setFolded(!folded)}>
        {folded ? "Show the story" : "Hide the story"}
      </button>
      {!folded && <p className="story">{recipe.story}</p>}
    </header>
  );
}
