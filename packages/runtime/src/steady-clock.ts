import type { Clock } from './clock.ts';

/** A clock that can also measure: delays and deadlines must not move when someone sets the wall clock. */
export interface SteadyClock extends Clock {
  /** Milliseconds, with fractions, since a fixed point of this process. Never jumps; only differences mean anything. */
  elapsed(): number;
}

/** The time as controllers have it: no wait goes without a signal. */
export interface CancellableClock extends SteadyClock {
  sleep(delay: number, signal: AbortSignal): Promise<void>;
}
