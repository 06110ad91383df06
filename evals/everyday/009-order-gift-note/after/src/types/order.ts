export type OrderStatus = "new" | "paid" | "bound" | "delivered";

export interface OrderLine {
  bouquetId: string;
  quantity: number;
  unitPrice: number;
  note?: string;
}

export interface Order {
  id: string;
  customerId: string;
  status: OrderStatus;
  lines: OrderLine[];
  deliverOn: string;
  note?: string;
  giftNote?: string;
  voucher?: string;
}

export interface OrderSummary {
  id: string;
  status: OrderStatus;
  total: number;
}
