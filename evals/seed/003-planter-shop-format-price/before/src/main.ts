import { CartStore } from "./cart/store";
import { renderSummary } from "./cart/summary";
import { loadCatalog } from "./catalog/load";
import { renderCatalog } from "./catalog/list";

const cart = new CartStore(window.localStorage);

async function start(): Promise<void> {
  const plants = await loadCatalog("/api/plants");
  const list = document.querySelector<HTMLElement>("#plants");
  const side = document.querySelector<HTMLElement>("#cart");
  if (!list || !side) return;
  renderCatalog(list, plants, (plant) => cart.add(plant));
  cart.subscribe((lines) => {
    side.innerHTML = renderSummary(lines);
  });
}

void start();
