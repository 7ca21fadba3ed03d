import { type Instant, MINUTE } from '@karpenter-ts/runtime';

/** Services refuse requests whose date is five minutes off; the SDK's clients set their clock when theirs is four off. */
const NOTICED = 4 * MINUTE;

/** The time of a service, as its answers tell it: the clock of this host may be wrong. */
export class ServiceClock {
  readonly #clock: { now(): Instant };
  #ahead = 0;

  constructor(clock: { now(): Instant }) {
    this.#clock = clock;
  }

  now(): Instant {
    return this.#clock.now() + this.#ahead;
  }

  /** Sets it by the date of an answer. False if it was about right, or the date cannot be read. */
  setBy(date: string | undefined): boolean {
    const told = Date.parse(date ?? '');
    if (Number.isNaN(told) || Math.abs(told - this.now()) < NOTICED) return false;
    this.#ahead = told - this.#clock.now();
    return true;
  }
}
