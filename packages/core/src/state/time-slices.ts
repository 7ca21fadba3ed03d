import { setImmediate as nextTurn } from 'node:timers/promises';
import { MILLISECOND, type SteadyClock } from '@karpenter-ts/runtime';

/** How long work may block the event loop at a time. Probes, watches and the lease wait meanwhile. */
const LENGTH = 10 * MILLISECOND;

/** Splits long work into slices, between which the event loop runs everything else. The first slice begins at once. */
export class TimeSlices {
  readonly #clock: Pick<SteadyClock, 'elapsed'>;
  /** Aborts the work. */
  readonly signal: AbortSignal;
  #end: number;

  /** `signal` aborts the work at the next pause. */
  constructor(clock: Pick<SteadyClock, 'elapsed'>, signal: AbortSignal) {
    this.#clock = clock;
    this.signal = signal;
    this.#end = clock.elapsed() + LENGTH;
  }

  /** Whether the current slice is used up, so that it is time to `pause`. */
  get isOver(): boolean {
    return this.#clock.elapsed() >= this.#end;
  }

  /** Yields to the event loop and begins the next slice. Rejects with the signal's reason if it is aborted. */
  async pause(): Promise<void> {
    await nextTurn();
    this.signal.throwIfAborted();
    this.#end = this.#clock.elapsed() + LENGTH;
  }
}
