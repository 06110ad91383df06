import type { CartLine, Plant } from "../types";

type Listener = (lines: readonly CartLine[]) => void;

export class CartStore {
  private lines: CartLine[] = [];
  private listeners = new Set<Listener>();

  constructor(private readonly storage: Storage) {
    const saved = storage.getItem("cart");
    if (saved) this.lines = JSON.parse(saved) as CartLine[];
  }

  add(plant: Plant): void {
    const line = this.lines.find((l) => l.plant.id === plant.id);
    if (line) line.amount += 1;
    else this.lines.push({ plant, amount: 1 });
    this.changed();
  }

  remove(id: string): void {
    this.lines = this.lines.filter((l) => l.plant.id !== id);
    this.changed();
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    listener(this.lines);
    return () => this.listeners.delete(listener);
  }

  private changed(): void {
    this.storage.setItem("cart", JSON.stringify(this.lines));
    for (const listener of this.listeners) listener(this.lines);
  }
}
