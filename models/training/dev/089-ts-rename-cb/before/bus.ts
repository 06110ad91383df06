type Callback<T> = (value: T) => void;

export class Bus<T> {
  private callbacks = new Set<Callback<T>>();

  on(cb: Callback<T>): () => void {
    this.callbacks.add(cb);
    return () => this.callbacks.delete(cb);
  }

  once(cb: Callback<T>): void {
    const off = this.on((value) => {
      off();
      cb(value);
    });
  }

  emit(value: T): void {
    this.callbacks.forEach((cb) => cb(value));
  }
}
