/** Something that runs as long as the process. */
export interface Runnable {
  /** Runs until aborted, then finishes its work and resolves. If it rejects, the whole process stops. */
  start(signal: AbortSignal): Promise<void>;
}

/** Runnables that are stopped together. */
export class RunnableGroup {
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #onFailure: (error: unknown) => void;

  /** `onFailure` is called for each runnable that rejects, also while stopping. */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Starts a runnable at once. No effect after the group has been stopped. */
  run(runnable: Runnable): void {
    if (this.#stopping.signal.aborted) return;
    const ended = runnable.start(this.#stopping.signal).catch(this.#onFailure);
    this.#running.add(ended);
    void ended.then(() => this.#running.delete(ended));
  }

  /** Stops all runnables and resolves when the last one has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }
}
