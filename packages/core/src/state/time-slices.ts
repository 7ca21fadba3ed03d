import { setImmediate as nextTurn } from 'node:timers/promises';
import { MILLISECOND, type SteadyClock } from '@karpenter-ts/runtime';

/** How long work may hold the event loop at a time: probes, watches and the lease wait meanwhile. */
const LENGTH = 10 * MILLISECOND;

/** Cuts long work into slices between which everything else gets its turn. The first begins at once. */
export class TimeSlices {
  readonly #clock: Pick<SteadyClock, 'elapsed'>;
  /** Ends the work. */
  readonly signal: AbortSignal;
  #end: number;

  /** `signal` ends the work at the next pause. */
  constructor(clock: Pick<SteadyClock, 'elapsed'>, signal: AbortSignal) {
    this.#clock = clock;
    this.signal = signal;
    this.#end = clock.elapsed() + LENGTH;
  }

  /** Whether the present slice is used up: then it is time to `pause`. */
  get isOver(): boolean {
    return this.#clock.elapsed() >= this.#end;
  }

  /** Lets others run, and begins the next slice. Rejects with the signal's reason once that is aborted. */
  async pause(): Promise<void> {
    await nextTurn();
    this.signal.throwIfAborted();
    this.#end = this.#clock.elapsed() + LENGTH;
  }
}
