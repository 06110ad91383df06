import { expect, test } from "vitest";
import { shippingCents } from "../src/cart/shipping";

const fern = {
  id: "fern",
  name: "Sword fern",
  latin: "Nephrolepis exaltata",
  cents: 1290,
  potSize: 14,
  light: "half" as const,
};

test("small orders pay the base rate", () => {
  expect(shippingCents([{ plant: fern, amount: 1 }], 1290)).toBe(590);
});

test("large orders are free", () => {
  expect(shippingCents([{ plant: fern, amount: 6 }], 7740)).toBe(0);
});
