import { useState } from "react";

import { CopyLink } from "../ui/CopyLink";
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
      <h2>{recipe.title}</h2>
      <p className="by">by {recipe.author}</p>
      <Stars value={recipe.rating} onChange={onRate} />
      <span className="minutes">{recipe.minutes} min</span>
      <CopyLink path={`/recipes/${recipe.slug}`} />
      <button type="button" onClick={() => setFolded(!folded)}>
        {folded ? "Show the story" : "Hide the story"}
      </button>
      {!folded && <p className="story">{recipe.story}</p>}
    </header>
  );
}
