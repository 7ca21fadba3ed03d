import type { Cancel, Instant, SteadyClock } from '@karpenter-ts/runtime';

/** The clock of the host that the operator runs on. Its wall time can be set; delays and elapsed time are unaffected. */
export class SkewedClock implements SteadyClock {
  readonly #clock: SteadyClock;
  #skew = 0;

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /** Moves the wall time by so many milliseconds, forward or back. */
  jump(by: number): void {
    this.#skew += by;
  }

  /** Sets the wall time right again. */
  heal(): void {
    this.#skew = 0;
  }

  now(): Instant {
    return this.#clock.now() + this.#skew;
  }

  elapsed(): number {
    return this.#clock.elapsed();
  }

  after(delay: number, run: () => void): Cancel {
    return this.#clock.after(delay, run);
  }

  sleep(delay: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(delay, signal);
  }

  track<T>(work: Promise<T>): Promise<T> {
    return this.#clock.track(work);
  }
}
