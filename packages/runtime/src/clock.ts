/** A point in time: milliseconds since the epoch. */
export type Instant = number;

export const MILLISECOND = 1;
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** Cancels a timer that has not fired yet. No effect afterwards. */
export type Cancel = () => void;

/** The source of time. No other code may read the wall clock or set a timer. */
export interface Clock {
  now(): Instant;
  /** Calls `run` once, `delay` milliseconds from now. */
  after(delay: number, run: () => void): Cancel;
  /** Resolves after `delay` milliseconds; rejects with the signal's reason if that comes first. */
  sleep(delay: number, signal?: AbortSignal): Promise<void>;
  /**
   * Marks work as runnable until the promise is resolved or rejected: a virtual clock does not advance meanwhile. The
   * real clock returns the promise unchanged.
   */
  track<T>(work: Promise<T>): Promise<T>;
}
