/** What the emulator needs of time. The clocks of `runtime` have it; with a virtual one everything happens in virtual time. */
export interface EmulatorClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `run` once, `delay` milliseconds from now. */
  after(delay: number, run: () => void): () => void;
  /** Resolves after `delay` milliseconds; rejects with the signal's reason if that comes first. */
  sleep(delay: number, signal?: AbortSignal): Promise<void>;
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
