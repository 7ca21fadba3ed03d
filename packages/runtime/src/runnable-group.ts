/** Something that runs for as long as the process does. */
export interface Runnable {
  /** Runs until aborted, then ends what it has begun and resolves. Rejecting stops the whole process. */
  start(signal: AbortSignal): Promise<void>;
}

/** Runnables that are stopped together. */
export class RunnableGroup {
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #onFailure: (error: unknown) => void;

  /** `onFailure` learns of each runnable that rejects, also during the stop. */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Starts a runnable at once; does nothing once the group has been stopped. */
  run(runnable: Runnable): void {
    if (this.#stopping.signal.aborted) return;
    const ended = runnable.start(this.#stopping.signal).catch(this.#onFailure);
    this.#running.add(ended);
    void ended.then(() => this.#running.delete(ended));
  }

  /** Tells all to stop and resolves when the last has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }
}
