/** A point in time: milliseconds since the epoch. */
export type Instant = number;

export const MILLISECOND = 1;
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** Ends a timer that has not fired yet; harmless afterwards. */
export type Cancel = () => void;

/** Time as everything here sees it. Nothing else may read the wall clock or set a timer. */
export interface Clock {
  now(): Instant;
  /** Calls `run` once, `delay` milliseconds from now. */
  after(delay: number, run: () => void): Cancel;
  /** Resolves after `delay` milliseconds; rejects with the signal's reason if that comes first. */
  sleep(delay: number, signal?: AbortSignal): Promise<void>;
  /**
   * Marks work as runnable until it settles: a virtual clock does not move while any is. The real clock hands the
   * promise back as it is.
   */
  track<T>(work: Promise<T>): Promise<T>;
}
