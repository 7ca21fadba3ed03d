import type { EmulatorClock } from '../clock.ts';

/** Timers that can all be cancelled at once, so that a stopped emulator leaves none behind. */
export class Timers {
  readonly #clock: EmulatorClock;
  readonly #pending = new Set<() => void>();

  constructor(clock: EmulatorClock) {
    this.#clock = clock;
  }

  after(delay: number, run: () => void): () => void {
    const cancelTimer = this.#clock.after(delay, () => {
      this.#pending.delete(cancel);
      run();
    });
    const cancel = (): void => {
      this.#pending.delete(cancel);
      cancelTimer();
    };
    this.#pending.add(cancel);
    return cancel;
  }

  cancelAll(): void {
    for (const cancel of this.#pending) cancel();
  }

  get size(): number {
    return this.#pending.size;
  }
}
