export interface Plant {
  id: string;
  name: string;
  latin: string;
  cents: number;
  potSize: number;
  light: "shade" | "half" | "sun";
}

export interface CartLine {
  plant: Plant;
  amount: number;
}
