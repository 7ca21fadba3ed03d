import type { SteadyClock } from '@karpenter-ts/runtime';

/**
 * How long a periodic observer has been watching. A gap between two observations counts for `mostBetween` at the most,
 * so that a process that slept for an hour, together with its host, does not conclude that all nodes were silent for an
 * hour.
 */
export class WatchedTime {
  readonly #clock: SteadyClock;
  readonly #mostBetween: number;
  #total = 0;
  #lookedAt: number;

  /** `mostBetween` in milliseconds: longer than the period. */
  constructor(clock: SteadyClock, mostBetween: number) {
    this.#clock = clock;
    this.#mostBetween = mostBetween;
    this.#lookedAt = clock.elapsed();
  }

  look(): void {
    const now = this.#clock.elapsed();
    this.#total += Math.min(now - this.#lookedAt, this.#mostBetween);
    this.#lookedAt = now;
  }

  /** Milliseconds of observation up to the last one. */
  get total(): number {
    return this.#total;
  }
}
