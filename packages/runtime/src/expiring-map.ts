import type { SteadyClock } from './steady-clock.ts';

/**
 * A map whose entries expire a fixed time after they were set. All entries live equally long, so the oldest come first,
 * and expired ones are dropped when new ones are set: O(1) each, and at most one lifetime of entries in memory.
 */
export class ExpiringMap<K, V> {
  readonly #clock: SteadyClock;
  readonly #lifetime: number;
  readonly #entries = new Map<K, { readonly value: V; readonly until: number }>(); // until: elapsed milliseconds

  /** `lifetime` in milliseconds. */
  constructor(clock: SteadyClock, lifetime: number) {
    this.#clock = clock;
    this.#lifetime = lifetime;
  }

  /** How many entries are held, expired ones that are not dropped yet included. */
  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.#clock.elapsed() < entry.until ? entry.value : undefined;
  }

  has(key: K): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.#clock.elapsed() < entry.until;
  }

  /** Sets the entry and restarts its lifetime. */
  set(key: K, value: V): void {
    const now = this.#clock.elapsed();
    for (const [oldest, { until }] of this.#entries) {
      if (now < until) break;
      this.#entries.delete(oldest);
    }
    this.#entries.delete(key); // moves the entry to the end of the order
    this.#entries.set(key, { value, until: now + this.#lifetime });
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }
}
