type Callback<T> = (value: T) => void;

export class Bus<T> {
  private callbacks = new Set<Callback<T>>();

  on(listener: Callback<T>): () => void {
    this.callbacks.add(listener);
    return () => this.callbacks.delete(listener);
  }

  once(listener: Callback<T>): void {
    const off = this.on((value) => {
      off();
      listener(value);
    });
  }

  emit(value: T): void {
    this.callbacks.forEach((listener) => listener(value));
  }
}
