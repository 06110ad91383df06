import type { Plant } from "../types";

const LABELS: Record<Plant["light"], string> = {
  shade: "likes shade",
  half: "half shade",
  sun: "full sun",
};

export function lightLabel(light: Plant["light"]): string {
  return LABELS[light];
}

export function potLabel(size: number): string {
  return `⌀ ${size} cm`;
}
