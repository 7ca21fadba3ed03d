import type { SteadyClock } from './steady-clock.ts';

/**
 * Measures from its making on, by two clocks, since each can mislead: the wall clock is set by people and daemons, the
 * steady one stands still while the machine sleeps. Whoever must not act too late asks `atMost`, whoever must not act
 * too early asks `atLeast`.
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

  /** Milliseconds that have passed by both clocks. */
  atLeast(): number {
    return Math.min(this.#clock.now() - this.#wall, this.#clock.elapsed() - this.#steady);
  }

  /** Milliseconds that have passed by either clock. */
  atMost(): number {
    return Math.max(this.#clock.now() - this.#wall, this.#clock.elapsed() - this.#steady);
  }
}
