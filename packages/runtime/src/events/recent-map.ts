/** A map with a maximum size. When it is full, the least recently used entry is dropped. */
export class RecentMap<V> {
  readonly #limit: number;
  readonly #entries = new Map<string, V>(); // least recently used first

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#limit) this.#entries.delete(this.#entries.keys().next().value!);
  }
}
