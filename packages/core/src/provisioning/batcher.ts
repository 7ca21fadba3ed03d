import { type Cancel, type Clock, SECOND } from '@karpenter-ts/runtime';

/** How long `wait` waits for a first trigger. */
const FIRST_TRIGGER_TIMEOUT = 1 * SECOND; // spec 02 §3

export interface BatcherSettings {
  readonly clock: Clock;
  /** Milliseconds without a trigger after which a batch window closes. */
  readonly idleDuration: number;
  /** Milliseconds after which a batch window closes in any case. */
  readonly maxDuration: number;
}

/** Combines triggers that come close together into one batch, so that pods created together are planned together. */
export class Batcher {
  readonly #settings: BatcherSettings;
  readonly #seen = new Set<string>(); // uids that have triggered since the last window closed
  #isArmed = false;
  #onTrigger: (() => void) | undefined; // set while `wait` is pending

  constructor(settings: BatcherSettings) {
    this.#settings = settings;
  }

  /** An object needs provisioning. Further triggers of the same object count for the next window only. */
  trigger(uid: string): void {
    if (this.#seen.has(uid)) return;
    this.#seen.add(uid);
    this.rearm();
  }

  /** Triggers again, for a batch that could not be handled. */
  rearm(): void {
    if (this.#onTrigger === undefined) this.#isArmed = true;
    else this.#onTrigger();
  }

  /**
   * Resolves with true when a batch window has closed, or with false if none opened. Rejects with the signal's reason.
   */
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

  /** A promise whose timers and listeners are removed when it settles. */
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
