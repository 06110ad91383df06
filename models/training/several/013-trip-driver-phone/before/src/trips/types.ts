export type Seat = "front" | "window" | "aisle";

/** A shared ride as the app shows it. */
export interface Trip {
  id: string;
  from: string;
  to: string;
  departs: Date;
  driverName: string;
  freeSeats: Seat[];
}

export interface TripFilter {
  from?: string;
  to?: string;
  seat?: Seat;
}
