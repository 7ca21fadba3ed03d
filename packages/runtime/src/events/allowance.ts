import { SECOND } from '../clock.ts';
import type { EventLimit } from './event.ts';

/** A token bucket that never waits. Its whole state is the time at which it will be full again. */
export class Allowance {
  readonly #interval: number; // milliseconds a token takes to come back
  readonly #capacity: number; // milliseconds an empty bucket takes to fill
  #fullAt = -Infinity;

  constructor({ perSecond, burst }: EventLimit) {
    this.#interval = SECOND / perSecond;
    this.#capacity = burst * this.#interval;
  }

  /** Takes a token if there is one. */
  tryTake(elapsed: number): boolean {
    const fullAt = Math.max(this.#fullAt, elapsed) + this.#interval;
    if (fullAt - elapsed > this.#capacity) return false;
    this.#fullAt = fullAt;
    return true;
  }
}
