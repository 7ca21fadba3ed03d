/** How a key that keeps failing is held back. */
export interface BackOffSettings {
  /** The delay after the first failure; it doubles with each further one. */
  readonly base: number;
  /** The longest delay. */
  readonly cap: number;
}

/** What a delay may be shortened by, so that keys which failed together do not all come back together. */
const JITTER = 0.1;

/**
 * Doubling delays per key. Each delay is the nominal one less up to a tenth, taken at random: never above the cap.
 */
export class BackOff<K> {
  readonly #settings: BackOffSettings;
  readonly #random: () => number;
  readonly #failures = new Map<K, number>();

  /** `random` gives numbers in [0, 1); a seeded one makes runs repeatable. */
  constructor(settings: BackOffSettings, random: () => number = Math.random) {
    this.#settings = settings;
    this.#random = random;
  }

  /** Counts one more failure of `key` and says how long to wait before the next try. */
  delayFor(key: K): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const nominal = Math.min(this.#settings.base * 2 ** failures, this.#settings.cap);
    return nominal * (1 - JITTER * this.#random());
  }

  /** Forgets the failures of `key`: its next delay is the base again. */
  forget(key: K): void {
    this.#failures.delete(key);
  }
}
