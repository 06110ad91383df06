import type { CartLine } from "../types";

const BASE = 590;
const PER_BIG_POT = 250;
const FREE_FROM = 7500;

export function shippingCents(lines: readonly CartLine[], goods: number): number {
  if (goods >= FREE_FROM) return 0;
  const bigPots = lines
    .filter((line) => line.plant.potSize >= 24)
    .reduce((sum, line) => sum + line.amount, 0);
  return BASE + bigPots * PER_BIG_POT;
}
