export interface Bed {
  id: number;
  crop: string;
  watered: string | null;
}

type Listener = (beds: Bed[]) => void;

let beds: Bed[] = [];
const listeners = new Set<Listener>();

export function subscribe(listener: Listener): () => void {
  listeners.add(listener);
  listener(beds);
  return () => listeners.delete(listener);
}

export function water(id: number): void {
  const now = new Date().toISOString();
  beds = beds.map((bed) => (bed.id === id ? { ...bed, watered: now } : bed));
  console.log("beds after watering", beds);
  for (const listener of listeners) listener(beds);
}

export function replaceAll(next: Bed[]): void {
  beds = next;
  for (const listener of listeners) listener(beds);
}
