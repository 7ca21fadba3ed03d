import type { Cancel, CancellableClock, Instant } from '@karpenter-ts/runtime';

/**
 * A clock for decisions about a moment that is past or imagined: it stands still, however long computing takes. Whoever
 * sleeps waits no time; the clock moves on by what they wanted to wait.
 */
export class StillClock implements CancellableClock {
  readonly #start: Instant;
  #passed = 0;

  constructor(start: Instant) {
    this.#start = start;
  }

  now(): Instant {
    return this.#start + this.#passed;
  }

  elapsed(): number {
    return this.#passed;
  }

  /** Starts again, for the next question about the same moment. What was computed with later times must be dropped. */
  rewind(): void {
    this.#passed = 0;
  }

  after(delay: number, run: () => void): Cancel {
    const cancelled = new AbortController();
    this.sleep(delay, cancelled.signal).then(run, () => {});
    return () => cancelled.abort();
  }

  async sleep(delay: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await Promise.resolve(); // the caller may still cancel
    signal.throwIfAborted();
    this.#passed += delay;
  }

  track<T>(work: Promise<T>): Promise<T> {
    return work;
  }
}
