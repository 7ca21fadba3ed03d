import { MINUTE, SECOND } from '../clock.ts';
import { Allowance } from './allowance.ts';
import type { EventDraft, EventLimit } from './event.ts';

const DEFAULT_TIMEOUT = 2 * MINUTE;
const SWEEP_INTERVAL = 10 * SECOND;

/**
 * Drops events that were just published, and classes of events that exceed their rate (spec 05 §5.1). Unlike upstream,
 * equal values of two objects do not count as one, and an event that exceeds the rate does not suppress the next one.
 */
export class Dedupe {
  readonly #until = new Map<string, number>(); // by key, in elapsed milliseconds
  readonly #allowances = new Map<EventLimit, Allowance>();
  #sweptAt = 0;

  /** Returns whether to publish the event now, and records it if so. */
  admits(draft: EventDraft, elapsed: number): boolean {
    this.#sweep(elapsed);
    const key = draft.dedupe === undefined || draft.dedupe.length === 0 ? undefined : dedupeKey(draft);
    if (key !== undefined && elapsed < (this.#until.get(key) ?? 0)) return false;
    if (draft.limit !== undefined && !this.#allowanceOf(draft.limit).tryTake(elapsed)) return false;
    if (key !== undefined) this.#until.set(key, elapsed + (draft.dedupeTimeout ?? DEFAULT_TIMEOUT));
    return true;
  }

  #allowanceOf(limit: EventLimit): Allowance {
    let allowance = this.#allowances.get(limit);
    if (allowance === undefined) {
      allowance = new Allowance(limit);
      this.#allowances.set(limit, allowance);
    }
    return allowance;
  }

  #sweep(elapsed: number): void {
    if (elapsed < this.#sweptAt + SWEEP_INTERVAL) return;
    this.#sweptAt = elapsed;
    for (const [key, until] of this.#until) if (until <= elapsed) this.#until.delete(key);
  }
}

function dedupeKey({ on, reason, dedupe = [] }: EventDraft): string {
  const subject = on.uid ?? `${on.namespace ?? ''}/${on.name}`;
  return [reason.toLowerCase(), on.kind, subject, ...dedupe].join('\0');
}
