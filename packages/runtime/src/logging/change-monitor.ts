import { HOUR } from '../clock.ts';
import type { SteadyClock } from '../steady-clock.ts';

/** A value is logged again after a day, so that the log of any day contains it (spec 05 §6.1). */
const MEMORY = 24 * HOUR;

/** Tells when a discovered value should be logged: the first time, after a change, and once a day. */
export class ChangeMonitor {
  readonly #clock: SteadyClock;
  readonly #seen = new Map<string, { readonly value: string; readonly until: number }>(); // until: elapsed milliseconds

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /**
   * Remembers `value` under `key`, and returns whether it differs from the last one. Values are plain data; the order
   * of lists does not matter.
   */
  hasChanged(key: string, value: unknown): boolean {
    const now = this.#clock.elapsed();
    const text = JSON.stringify(value, sorted);
    const last = this.#seen.get(key);
    if (last !== undefined && last.value === text && now < last.until) return false;
    if (last === undefined) this.#forgetOld(now);
    this.#seen.set(key, { value: text, until: now + MEMORY });
    return true;
  }

  #forgetOld(now: number): void {
    for (const [key, { until }] of this.#seen) if (until <= now) this.#seen.delete(key);
  }
}

/** Sorts the members of objects by key and lists by the text of their elements. */
function sorted(_key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((member) => JSON.stringify(member, sorted)).sort();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
