import { type Cancel, type Clock, SECOND } from '@karpenter-ts/runtime';

/** How long a wait lasts when nothing comes. */
const FIRST_TRIGGER_TIMEOUT = 1 * SECOND; // spec 02 §3

export interface BatcherSettings {
  readonly clock: Clock;
  /** A window closes when nothing new has come for so many milliseconds … */
  readonly idleDuration: number;
  /** … and in any case after so many. */
  readonly maxDuration: number;
}

/** Gathers triggers that come close together into one answer, so that pods created together are planned together. */
export class Batcher {
  readonly #settings: BatcherSettings;
  readonly #seen = new Set<string>(); // what has triggered since the last wait ended
  #isArmed = false;
  #onTrigger: (() => void) | undefined; // while someone waits

  constructor(settings: BatcherSettings) {
    this.#settings = settings;
  }

  /** Something needs attention. Of what has triggered already nothing more is heard until the next batch. */
  trigger(uid: string): void {
    if (this.#seen.has(uid)) return;
    this.#seen.add(uid);
    this.rearm();
  }

  /** As if something new had triggered: for a batch that could not be dealt with. */
  rearm(): void {
    if (this.#onTrigger === undefined) this.#isArmed = true;
    else this.#onTrigger();
  }

  /** Resolves when a window has closed, or with false when none opened; rejects with the signal's reason. */
  async wait(signal: AbortSignal): Promise<boolean> {
    try {
      if (!(await this.#opens(signal))) return false;
      await this.#closes(signal);
      return true;
    } finally {
      this.#seen.clear();
    }
  }

  #opens(signal: AbortSignal): Promise<boolean> {
    if (this.#isArmed) {
      this.#isArmed = false;
      return Promise.resolve(true);
    }
    return this.#listen(signal, (resolve) => {
      this.#onTrigger = () => resolve(true);
      return [this.#settings.clock.after(FIRST_TRIGGER_TIMEOUT, () => resolve(false))];
    });
  }

  #closes(signal: AbortSignal): Promise<void> {
    const { clock, idleDuration, maxDuration } = this.#settings;
    return this.#listen(signal, (resolve) => {
      let cancelIdle = clock.after(idleDuration, resolve);
      this.#onTrigger = () => {
        cancelIdle();
        cancelIdle = clock.after(idleDuration, resolve);
      };
      return [clock.after(maxDuration, resolve), () => cancelIdle()];
    });
  }

  /** A promise whose timers and listeners end with it. */
  async #listen<T>(signal: AbortSignal, begin: (resolve: (value: T) => void) => readonly Cancel[]): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const cancels = begin(resolve);
    if (signal.aborted) abort();
    try {
      return await promise;
    } finally {
      this.#onTrigger = undefined;
      signal.removeEventListener('abort', abort);
      for (const cancel of cancels) cancel();
    }
  }
}
