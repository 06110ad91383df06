export interface Address {
  street: string;
  zip: string;
  city: string;
  country?: string;
}

export interface Customer {
  id: number;
  name: string;
  email?: string;
  phone: string;
  address: Address;
}

export interface Supplier {
  id: number;
  company: string;
  email: string;
  phone: string;
}

export interface Bouquet {
  title: string;
  stems: Record<string, number>;
  cents: number;
  card?: string;
}

export interface Order {
  number: string;
  customer: Customer;
  bouquets: Bouquet[];
  deliverOn: string;
}
