import type { Customer } from "../types/customer";
import type { Order } from "../types/order";

export function deliverySlip(order: Order, customer: Customer): string {
  const { street, zip, city, note } = customer.address;
  const rows = [customer.name, street, `${zip} ${city}`];
  if (note) {
    rows.push(`(${note})`);
  }
  rows.push("", ...order.lines.map((line) => `${line.quantity} x ${line.bouquetId}`));
  if (order.note) {
    rows.push("", order.note);
  }
  return rows.join("\n");
}
