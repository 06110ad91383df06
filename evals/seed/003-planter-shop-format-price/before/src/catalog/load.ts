import type { Plant } from "../types";

export async function loadCatalog(url: string): Promise<Plant[]> {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  if (!response.ok) {
    throw new Error(`catalog: ${response.status}`);
  }
  const plants = (await response.json()) as Plant[];
  return plants.sort((a, b) => a.name.localeCompare(b.name));
}
