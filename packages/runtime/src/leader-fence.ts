import type { WriteEnd } from './client/caller.ts';
import type { Stopwatch } from './stopwatch.ts';

/** This process may not write, because it does not lead or cannot be certain that it still does. Nothing was sent. */
export class NotLeaderError extends Error {
  override readonly name = 'NotLeaderError';

  constructor() {
    super('not the leader: the lease is not held, or was not renewed in time');
  }
}

/**
 * Keeps a former leader from writing. A process can be suspended at any point and for any time, and continue without
 * noticing. So each write must call `enter` in the tick in which it is handed to the socket (see `beforeWrite` of
 * Client). The time counts from before the renewal was sent, and ends well before another process may take the lease.
 * Only what is already in the socket can arrive late.
 */
export class LeaderFence {
  readonly #renewDeadline: number;
  #renewal: Stopwatch | undefined;
  #isClosed = false;
  #writes = 0; // under way
  #areAllOver = true; // whether every write that ended was answered
  #whenOver: (() => void) | undefined;

  /** `renewDeadline` in milliseconds. It must be shorter than the lease duration by the time a request may take. */
  constructor(renewDeadline: number) {
    this.#renewDeadline = renewDeadline;
  }

  /** Whether the fence was closed. It never opens again. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The milliseconds for which writes are still allowed; 0 if they are not. */
  get remaining(): number {
    return this.#renewal === undefined ? 0 : Math.max(0, this.#renewDeadline - this.#renewal.atMost());
  }

  /** Throws a NotLeaderError unless this process is certain to lead. */
  readonly check = (): void => {
    if (this.remaining === 0) throw new NotLeaderError();
  };

  /** As `check`, for a write that is sent now. The caller must call the returned function when the write has ended. */
  readonly enter = (): WriteEnd => {
    this.check();
    this.#writes++;
    return (isOver) => {
      this.#areAllOver &&= isOver;
      if (--this.#writes === 0) this.#whenOver?.();
    };
  };

  /**
   * Waits for the writes under way. False if any write was abandoned before its answer: it may still take effect, so no
   * other process may lead before the lease has expired.
   */
  async waitForWrites(): Promise<boolean> {
    if (this.#writes > 0) await new Promise<void>((resolve) => (this.#whenOver = resolve));
    return this.#areAllOver;
  }

  /** Allows writes: the lease is held since the request that was sent when `renewal` was started. */
  open(renewal: Stopwatch): void {
    if (!this.#isClosed) this.#renewal = renewal;
  }

  /** Forbids writes at once and for good. The answer to a later renewal does not open the fence again. */
  close(): void {
    this.#isClosed = true;
    this.#renewal = undefined;
  }
}
