import type { Plant } from "../types";
import { lightLabel } from "./labels";

export function renderCatalog(
  root: HTMLElement,
  plants: readonly Plant[],
  onPick: (plant: Plant) => void,
): void {
  root.replaceChildren(
    ...plants.map((plant) => {
      const card = document.createElement("article");
      const title = document.createElement("h3");
      title.textContent = plant.name;
      const info = document.createElement("p");
      info.textContent = `${plant.latin}, ${lightLabel(plant.light)}`;
      const button = document.createElement("button");
      button.textContent = "Add to cart";
      button.addEventListener("click", () => onPick(plant));
      card.append(title, info, button);
      return card;
    }),
  );
}
