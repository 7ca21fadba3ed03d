import { SECOND } from '../clock.ts';
import type { EventLimit } from './event.ts';

/** A token bucket that never waits. Its state is only the time at which it will be full. */
export class Allowance {
  readonly #interval: number; // the milliseconds after which a token is refilled
  readonly #capacity: number; // the milliseconds after which an empty bucket is full
  #fullAt = -Infinity;

  constructor({ perSecond, burst }: EventLimit) {
    this.#interval = SECOND / perSecond;
    this.#capacity = burst * this.#interval;
  }

  /** Takes a token, if there is one. */
  tryTake(elapsed: number): boolean {
    const fullAt = Math.max(this.#fullAt, elapsed) + this.#interval;
    if (fullAt - elapsed > this.#capacity) return false;
    this.#fullAt = fullAt;
    return true;
  }
}
