import type { Cancel, Instant, SteadyClock } from '@karpenter-ts/runtime';

/** The clock of the machine the operator runs on: its hands can be moved, which delays take no notice of. */
export class SkewedClock implements SteadyClock {
  readonly #clock: SteadyClock;
  #skew = 0;

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /** Moves the hands by so many milliseconds, to the future or the past. */
  jump(by: number): void {
    this.#skew += by;
  }

  /** Puts it right. */
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
