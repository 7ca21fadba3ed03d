import type { Clock } from './clock.ts';

/** A clock that can also measure durations, which must not be affected by changes of the wall clock. */
export interface SteadyClock extends Clock {
  /** Milliseconds, with fractions, since a fixed moment. Monotonic; only differences are meaningful. */
  elapsed(): number;
}

/** The clock that controllers get: every sleep requires a signal. */
export interface CancellableClock extends SteadyClock {
  sleep(delay: number, signal: AbortSignal): Promise<void>;
}
