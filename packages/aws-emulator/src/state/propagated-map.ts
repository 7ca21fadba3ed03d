interface Version<V> {
  readonly since: number;
  /** Undefined once it is deleted. */
  readonly value: V | undefined;
}

/**
 * What AWS stores and tells of late: writers see the latest state at once, readers that of some time ago. Values must
 * not be changed in place.
 */
export class PropagatedMap<V> {
  readonly #now: () => number;
  readonly #longestDelay: number;
  readonly #versions = new Map<string, readonly Version<V>[]>();

  /** No reader may be later than `longestDelay`, in milliseconds: older states are forgotten. */
  constructor(now: () => number, longestDelay: number) {
    this.#now = now;
    this.#longestDelay = longestDelay;
  }

  /** As the last writer left it. */
  latest(key: string): V | undefined {
    return this.#versions.get(key)?.at(-1)?.value;
  }

  *allLatest(): Generator<V, void, undefined> {
    for (const key of this.#versions.keys()) {
      const value = this.latest(key);
      if (value !== undefined) yield value;
    }
  }

  /** As it was `delay` milliseconds ago. */
  seen(key: string, delay: number): V | undefined {
    const at = this.#now() - delay;
    return this.#versions.get(key)?.findLast(({ since }) => since <= at)?.value;
  }

  *allSeen(delay: number): Generator<V, void, undefined> {
    for (const key of this.#versions.keys()) {
      const value = this.seen(key, delay);
      if (value !== undefined) yield value;
    }
  }

  set(key: string, value: V): void {
    this.#write(key, value);
  }

  delete(key: string): void {
    this.#write(key, undefined);
  }

  #write(key: string, value: V | undefined): void {
    this.#forget();
    this.#versions.set(key, [...(this.#versions.get(key) ?? []), { since: this.#now(), value }]);
  }

  /** Drops what no reader can see any more. */
  #forget(): void {
    const horizon = this.#now() - this.#longestDelay;
    for (const [key, versions] of this.#versions) {
      const first = versions.findLastIndex(({ since }) => since <= horizon);
      if (first === versions.length - 1 && versions[first]?.value === undefined) this.#versions.delete(key);
      else if (first > 0) this.#versions.set(key, versions.slice(first));
    }
  }
}
