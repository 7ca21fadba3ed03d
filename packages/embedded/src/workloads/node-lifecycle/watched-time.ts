import type { SteadyClock } from '@karpenter-ts/runtime';

/**
 * How long somebody who looks again and again has been watching. A gap between two looks counts for `mostBetween` at
 * the most: whoever was asleep for an hour, along with the whole machine, has not seen an hour of silence.
 */
export class WatchedTime {
  readonly #clock: SteadyClock;
  readonly #mostBetween: number;
  #total = 0;
  #lookedAt: number;

  /** `mostBetween` in milliseconds: longer than the looks are apart. */
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

  /** Milliseconds of watching up to the last look. */
  get total(): number {
    return this.#total;
  }
}
