import type { SteadyClock } from './steady-clock.ts';

/**
 * Measures the time since its creation. The monotonic clock never runs fast, but may stop while the host sleeps. The
 * wall clock continues then, but can be set, forwards and backwards. So code that must not act too early uses
 * `atLeast`, and code that must not act too late uses `atMost`.
 */
export class Stopwatch {
  readonly #clock: SteadyClock;
  readonly #wall: number;
  readonly #steady: number;

  constructor(clock: SteadyClock) {
    this.#clock = clock;
    this.#wall = clock.now();
    this.#steady = clock.elapsed();
  }

  /** The milliseconds that have passed for certain: by the monotonic clock only. */
  atLeast(): number {
    return this.#clock.elapsed() - this.#steady;
  }

  /** The milliseconds that may have passed: the wall clock includes the time the host slept. */
  atMost(): number {
    return Math.max(this.#clock.now() - this.#wall, this.atLeast());
  }
}
