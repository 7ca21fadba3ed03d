/**
 * How long the event loop was held at most. Time that the host gave to other processes is no hold of ours, so a hold is
 * the time between two turns or the processor time spent in between, whichever is less.
 */
export class LoopHolds {
  #longest = 0;
  #isRunning = true;
  #wall = performance.now();
  #cpu = process.cpuUsage();

  constructor() {
    const turn = (): void => {
      if (!this.#isRunning) return;
      this.#note();
      setImmediate(turn);
    };
    setImmediate(turn);
  }

  /** Milliseconds of the longest hold until now. Nothing is measured any more. */
  stop(): number {
    this.#note();
    this.#isRunning = false;
    return this.#longest;
  }

  #note(): void {
    const { user, system } = process.cpuUsage(this.#cpu);
    const wall = performance.now() - this.#wall;
    this.#longest = Math.max(this.#longest, Math.min(wall, (user + system) / 1000));
    this.#wall = performance.now();
    this.#cpu = process.cpuUsage();
  }
}
