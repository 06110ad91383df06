export interface Address {
  street: string;
  zip: string;
  city: string;
  note?: string;
}

export interface Customer {
  id: string;
  name: string;
  email: string;
  address: Address;
}
