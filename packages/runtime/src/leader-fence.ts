import type { WriteEnd } from './client/caller.ts';
import type { Stopwatch } from './stopwatch.ts';

/** This process may not write: it does not lead, or cannot be sure that it still does. Nothing was sent. */
export class NotLeaderError extends Error {
  override readonly name = 'NotLeaderError';

  constructor() {
    super('not the leader: the lease is not held, or was not renewed in time');
  }
}

/**
 * Keeps a former leader from writing. A process can be stopped at any point for any time and go on as if nothing had
 * happened; so each write must ask `enter` in the tick in which it is handed to the socket (`beforeWrite` of Client).
 * The time runs from before the renewal was sent, and ends well before another may take the lease: at most what is in
 * the socket already can arrive late.
 */
export class LeaderFence {
  readonly #renewDeadline: number;
  #renewal: Stopwatch | undefined;
  #isClosed = false;
  #writes = 0; // under way
  #areAllOver = true; // but for those under way
  #whenOver: (() => void) | undefined;

  /** `renewDeadline` in milliseconds; shorter than the lease by what a request may take. */
  constructor(renewDeadline: number) {
    this.#renewDeadline = renewDeadline;
  }

  /** Whether it has been closed, and so will not open again. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Milliseconds for which writes may go; 0 when they may not. */
  get remaining(): number {
    return this.#renewal === undefined ? 0 : Math.max(0, this.#renewDeadline - this.#renewal.atMost());
  }

  /** Throws a NotLeaderError unless this process leads for certain. */
  readonly check = (): void => {
    if (this.remaining === 0) throw new NotLeaderError();
  };

  /** As `check`, for a write that is sent now. To be told of its end. */
  readonly enter = (): WriteEnd => {
    this.check();
    this.#writes++;
    return (isOver) => {
      this.#areAllOver &&= isOver;
      if (--this.#writes === 0) this.#whenOver?.();
    };
  };

  /**
   * Waits for the writes under way. False if one of all was given up before its answer: it may still take effect, so
   * nobody else may lead before the lease has run out.
   */
  async waitForWrites(): Promise<boolean> {
    if (this.#writes > 0) await new Promise<void>((resolve) => (this.#whenOver = resolve));
    return this.#areAllOver;
  }

  /** The lease is ours, by a request sent when `renewal` was started. */
  open(renewal: Stopwatch): void {
    if (!this.#isClosed) this.#renewal = renewal;
  }

  /** No more writes, from this very tick on and for good: a renewal that is answered later opens nothing. */
  close(): void {
    this.#isClosed = true;
    this.#renewal = undefined;
  }
}
