/** Delays between the tries of a key that keeps failing. */
export interface BackOffSettings {
  /** The delay after the first failure; it doubles with each further one. */
  readonly base: number;
  /** The longest delay. */
  readonly cap: number;
}

/**
 * The largest part by which jitter shortens a delay, so that keys that failed together are not all retried together.
 */
const JITTER = 0.1;

/** Exponential back-off per key. Jitter shortens each delay by up to a tenth, so no delay exceeds the cap. */
export class BackOff<K> {
  readonly #settings: BackOffSettings;
  readonly #random: () => number;
  readonly #failures = new Map<K, number>();

  /** `random` returns numbers in [0, 1). A seeded one makes runs repeatable. */
  constructor(settings: BackOffSettings, random: () => number = Math.random) {
    this.#settings = settings;
    this.#random = random;
  }

  /** Counts one more failure of `key` and returns how long to wait before the next try. */
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
