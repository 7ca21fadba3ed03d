import { type Instant, SECOND } from '../clock.ts';
import type { Level } from './log-entry.ts';

/** Of equal lines within one second, the first 100 are written, then every 100th (spec 05 §6.1). */
const WINDOW = 1 * SECOND;
const FIRST = 100;
const EVERY = 100;

/**
 * Messages are fixed phrases, so there are few. If there are more than this, all counts are dropped, which only lets
 * more lines through.
 */
const MAX_MESSAGES = 4096;

/** Limits how often the same line is written. Lines are equal if level and message are. */
export class Sampler {
  readonly #windows = new Map<string, { end: Instant; count: number }>();

  admits(level: Level, message: string, now: Instant): boolean {
    const key = `${level} ${message}`;
    const window = this.#windows.get(key);
    if (window === undefined || window.end <= now || window.end > now + WINDOW) {
      if (this.#windows.size >= MAX_MESSAGES) this.#windows.clear();
      this.#windows.set(key, { end: now + WINDOW, count: 1 });
      return true;
    }
    window.count++;
    return window.count <= FIRST || (window.count - FIRST) % EVERY === 0;
  }
}
