import type { Entry } from './entry.ts';

/** One write to one object, as its watchers see it. */
export interface Change {
  readonly revision: number;
  readonly at: number; // elapsed milliseconds
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
  /** `after`; of a deleted object, its last state under the revision of the deletion. */
  readonly state: Entry;
}

/** How long changes are kept: the target of a real server's watch cache. */
const KEEP_FOR = 75_000;
/** Kept whatever their age, so that a resource with few writes can be watched from an old version. */
const KEEP_AT_LEAST = 100;
/** The maximum, so that a burst of writes costs memory only for a while. */
const KEEP_AT_MOST = 50_000;

/**
 * The recent changes of a collection, oldest first. A place in it is a number that stays valid as old changes leave:
 * watchers hold such places instead of queues of their own.
 *
 * Cost: append and read O(1) amortised, `placeAfter` O(log n).
 */
export class ChangeLog {
  #changes: (Change | undefined)[] = []; // up to #head they are forgotten
  #head = 0;
  #cut = 0; // how many were cut off the front: the place of #changes[0]
  #horizon: number;

  /** Begins after this revision. */
  constructor(revision: number) {
    this.#horizon = revision;
  }

  /** Changes after this revision are kept; earlier ones may be dropped. */
  get horizon(): number {
    return this.#horizon;
  }

  /** The position after the newest change. */
  get end(): number {
    return this.#cut + this.#changes.length;
  }

  append(change: Change): void {
    this.#changes.push(change);
    this.#forget(change.at);
  }

  /** The change at this position; undefined at the end, and if it was dropped. */
  at(place: number): Change | undefined {
    return this.#changes[place - this.#cut];
  }

  /** Whether all changes from this position on are kept. */
  reaches(place: number): boolean {
    return place >= this.#cut + this.#head;
  }

  /** The position of the first kept change after this revision. */
  placeAfter(revision: number): number {
    let low = this.#head;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#changes[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#cut + low;
  }

  #forget(now: number): void {
    const changes = this.#changes;
    while (this.#isOver(now)) {
      this.#horizon = changes[this.#head]!.revision;
      changes[this.#head++] = undefined;
    }
    if (this.#head < KEEP_AT_LEAST || this.#head < changes.length / 2) return; // to cut one by one moves all others
    this.#changes = changes.slice(this.#head);
    this.#cut += this.#head;
    this.#head = 0;
  }

  #isOver(now: number): boolean {
    const kept = this.#changes.length - this.#head;
    return kept > KEEP_AT_MOST || (kept > KEEP_AT_LEAST && this.#changes[this.#head]!.at < now - KEEP_FOR);
  }
}
