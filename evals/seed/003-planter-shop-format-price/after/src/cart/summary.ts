import type { CartLine } from "../types";
import { shippingCents } from "./shipping";
import { escapeHtml } from "../util/html";

function formatPrice(cents: number): string {
  return (cents / 100).toLocaleString("en-IE", {
    style: "currency",
    currency: "EUR",
  });
}

function subtotal(lines: readonly CartLine[]): number {
  return lines.reduce((sum, line) => sum + line.plant.cents * line.amount, 0);
}

function row(line: CartLine): string {
  const price = formatPrice(line.plant.cents * line.amount);
  return `<tr><td>${line.amount} × ${escapeHtml(line.plant.name)}</td><td>${price}</td></tr>`;
}

export function renderSummary(lines: readonly CartLine[]): string {
  if (lines.length === 0) {
    return "<p class=\"empty\">Nothing in your cart yet.</p>";
  }
  const goods = subtotal(lines);
  const shipping = shippingCents(lines, goods);
  return [
    "<table>",
    ...lines.map(row),
    `<tr class="sub"><td>Plants</td><td>${formatPrice(goods)}</td></tr>`,
    `<tr><td>Shipping</td><td>${shipping === 0 ? "free" : formatPrice(shipping)}</td></tr>`,
    `<tr class="total"><td>Total</td><td>${formatPrice(goods + shipping)}</td></tr>`,
    "</table>",
  ].join("\n");
}
