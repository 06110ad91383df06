import type { Seat, Trip, TripFilter } from "./types";

interface RawTrip {
  id: string;
  from: string;
  to: string;
  departs_at: number;
  driver_name: string;
  driver_phone: string;
  free_seats: Seat[];
}

function toTrip(raw: RawTrip): Trip {
  return {
    id: raw.id,
    from: raw.from,
    to: raw.to,
    departs: new Date(raw.departs_at * 1000),
    driverName: raw.driver_name,
    driverPhone: raw.driver_phone,
    freeSeats: raw.free_seats,
  };
}

export async function fetchTrips(filter: TripFilter): Promise<Trip[]> {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(filter)) {
    if (value) params.set(key, value);
  }
  const answer = await fetch(`/api/trips?${params}`);
  if (!answer.ok) throw new Error(`trips: ${answer.status}`);
  const raw: RawTrip[] = await answer.json();
  return raw.map(toTrip);
}
