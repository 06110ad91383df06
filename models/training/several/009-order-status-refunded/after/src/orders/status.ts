/** Where an order stands. */
export type OrderStatus =
  | "open"
  | "paid"
  | "shipped"
  | "cancelled"
  | "refunded";

export interface Order {
  id: number;
  customer: string;
  status: OrderStatus;
  totalCents: number;
}

const LABELS: Record<OrderStatus, string> = {
  open: "Open",
  paid: "Paid",
  shipped: "On its way",
  cancelled: "Cancelled",
  refunded: "Refunded",
};

export function label(order: Order): string {
  return LABELS[order.status];
}

export function canCancel(order: Order): boolean {
  return order.status === "open" || order.status === "paid";
}
