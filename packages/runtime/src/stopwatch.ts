import type { SteadyClock } from './steady-clock.ts';

/**
 * Measures from its making on. The steady clock never runs ahead of the time, but it may stand still while the host
 * sleeps. The wall clock goes on then, but people and daemons set it, to the past as well as to the future. So whoever
 * must not act too early asks `atLeast`, and whoever must not act too late asks `atMost`.
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

  /** Milliseconds that have passed for certain: by the steady clock alone, whatever the wall clock is set to. */
  atLeast(): number {
    return this.#clock.elapsed() - this.#steady;
  }

  /** Milliseconds that may have passed: a sleep shows in the wall clock only. */
  atMost(): number {
    return Math.max(this.#clock.now() - this.#wall, this.atLeast());
  }
}
