import type { Order, OrderSummary } from "../types/order";

const DELIVERY_FEE = 590;

export function total(order: Order): number {
  const goods = order.lines.reduce((sum, line) => sum + line.quantity * line.unitPrice, 0);
  return goods + (order.voucher === "FREESHIP" ? 0 : DELIVERY_FEE);
}

export function summarize(order: Order): OrderSummary {
  return { id: order.id, status: order.status, total: total(order) };
}
