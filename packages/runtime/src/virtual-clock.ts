import type { Cancel, Instant } from './clock.ts';
import { Heap, type HeapItem, OUTSIDE } from './heap.ts';
import { sleepWith } from './sleep.ts';
import type { SteadyClock } from './steady-clock.ts';

interface Timer extends HeapItem {
  readonly at: Instant;
  readonly order: number; // timers for the same instant fire in the order in which they were set
  readonly run: () => void;
}

/** Not 0, which some libraries take for "never". */
const DEFAULT_START: Instant = Date.UTC(2026, 0, 1);

/** A loop that never sleeps would hold the clock for ever: better to say so. */
const MAX_TURNS = 100_000; // hundreds of times what work that ends has needed

/**
 * Turns of the event loop requested by the virtual clocks of this process, so that a clock does not mistake those of
 * another for work.
 */
let ownTurns = 0;

/**
 * Time that moves only when told to, and then from one timer to the next, each as soon as nothing else is left to run.
 *
 * Nothing is left to run when a turn of the event loop has come round, before which all promises have had their
 * continuations, nobody has queued another `setImmediate`, and no tracked work is pending. So code that waits for a
 * promise, an immediate or this clock is seen by itself; what waits for a socket, a worker or a child process must be
 * passed to `track`, and nothing tracked may itself sleep on this clock (it would wait for itself). Given that, equal
 * programs run equally.
 */
export class VirtualClock implements SteadyClock {
  readonly #start: Instant;
  #now: Instant;
  readonly #timers = new Heap<Timer>((a, b) => (a.at === b.at ? a.order < b.order : a.at < b.at));
  #order = 0;
  #tracked = 0;
  #whenUntracked: (() => void) | undefined;
  #isMoving = false;

  constructor(start: Instant = DEFAULT_START) {
    this.#start = start;
    this.#now = start;
  }

  now(): Instant {
    return this.#now;
  }

  elapsed(): number {
    return this.#now - this.#start;
  }

  after(delay: number, run: () => void): Cancel {
    const timer: Timer = { at: this.#now + Math.max(0, delay), order: this.#order++, run, slot: OUTSIDE };
    this.#timers.push(timer);
    return () => this.#timers.remove(timer);
  }

  sleep(delay: number, signal?: AbortSignal): Promise<void> {
    return sleepWith(this, delay, signal);
  }

  track<T>(work: Promise<T>): Promise<T> {
    this.#tracked++;
    const release = (): void => {
      if (--this.#tracked === 0) this.#whenUntracked?.();
    };
    work.then(release, release);
    return work;
  }

  /** Runs everything that can run now, without advancing the time. */
  async flush(): Promise<void> {
    for (let turns = 0; turns < MAX_TURNS; turns++) {
      if (this.#tracked > 0) await new Promise<void>((resolve) => (this.#whenUntracked = resolve));
      await nextTurn();
      if (this.#tracked === 0 && !isAnythingQueued()) return;
    }
    throw new Error(`something still runs after ${MAX_TURNS} turns of the event loop`);
  }

  /**
   * Advances the time by `duration` and runs everything that falls due, in order. Resolves when nothing is left to run.
   */
  async advance(duration: number): Promise<void> {
    const target = this.#now + duration;
    await this.#move(async () => {
      await this.flush();
      while (this.#fireNext(target)) await this.flush();
      this.#now = target;
    });
  }

  /** Advances from timer to timer until `work` settles, and returns its result. Throws if no timer is left. */
  async runUntil<T>(work: Promise<T>): Promise<T> {
    const watched = { isDone: false };
    const note = (): void => {
      watched.isDone = true;
    };
    work.then(note, note);
    await this.#move(async () => {
      await this.flush();
      while (!watched.isDone) {
        if (!this.#fireNext(Number.MAX_VALUE)) throw new Error('nothing is left to run, yet the work has not settled');
        await this.flush();
      }
    });
    return work;
  }

  async #move(steps: () => Promise<void>): Promise<void> {
    if (this.#isMoving) throw new Error('the virtual clock is already moving: await the first call');
    this.#isMoving = true;
    try {
      await steps();
    } finally {
      this.#isMoving = false;
    }
  }

  /** Fires the next timer that is due by `limit`; false if there is none. */
  #fireNext(limit: Instant): boolean {
    const next = this.#timers.peek();
    if (next === undefined || next.at > limit) return false;
    this.#timers.remove(next);
    this.#now = next.at;
    next.run();
    return true;
  }
}

function nextTurn(): Promise<void> {
  ownTurns++;
  return new Promise((resolve) => {
    setImmediate(() => {
      ownTurns--;
      resolve();
    });
  });
}

function isAnythingQueued(): boolean {
  let immediates = 0;
  for (const resource of process.getActiveResourcesInfo()) if (resource === 'Immediate') immediates++;
  return immediates > ownTurns;
}
