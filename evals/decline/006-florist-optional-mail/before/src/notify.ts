import type { Customer, Order } from './types';

export interface Sender {
  mail(to: string, subject: string, body: string): Promise<void>;
  sms(to: string, text: string): Promise<void>;
}

/** Tells the customer when the flowers come, by mail where we can. */
export async function announce(order: Order, sender: Sender): Promise<void> {
  const text = `Your flowers arrive on ${order.deliverOn}.`;
  const customer: Customer = order.customer;
  if (customer.email) {
    await sender.mail(customer.email, `Order ${order.number}`, text);
  } else {
    await sender.sms(customer.phone, text);
  }
}
