import { setImmediate as nextTurn } from 'node:timers/promises';
import { MILLISECOND, type SteadyClock } from '@karpenter-ts/runtime';

/** How long work may block the event loop at a time. Probes, watches and the lease wait meanwhile. */
const LENGTH = 10 * MILLISECOND;

/** Splits long work into slices, between which the event loop runs everything else. The first slice begins at once. */
export class TimeSlices {
  readonly #clock: Pick<SteadyClock, 'elapsed'>;
  /** Aborts the work. */
  readonly signal: AbortSignal;
  #start: number;
  #workedBefore = 0; // in the slices before this one

  /** `signal` aborts the work at the next pause. */
  constructor(clock: Pick<SteadyClock, 'elapsed'>, signal: AbortSignal) {
    this.#clock = clock;
    this.signal = signal;
    this.#start = clock.elapsed();
  }

  /** Whether the current slice is used up, so that it is time to `pause`. */
  get isOver(): boolean {
    return this.#clock.elapsed() >= this.#start + LENGTH;
  }

  /** Milliseconds the work has taken so far, without the time that others took while it paused. */
  get worked(): number {
    return this.#workedBefore + (this.#clock.elapsed() - this.#start);
  }

  /** Yields to the event loop and begins the next slice. Rejects with the signal's reason if it is aborted. */
  async pause(): Promise<void> {
    this.#workedBefore = this.worked;
    await nextTurn();
    this.#start = this.#clock.elapsed();
    this.signal.throwIfAborted();
  }
}
