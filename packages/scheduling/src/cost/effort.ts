import { IMPROVING, type Reading } from '../progress.ts';

/** How many steps are made between two chances to pause: about a millisecond of work. */
const STEPS_PER_PAUSE = 20_000;

/**
 * The work a search may do, counted in steps of some 20 to 50 nanoseconds. Every loop over pods, classes, types, pools, nodes or
 * rules is charged to it. Steps and not time are counted, so that a search ends in the same place on any computer.
 */
export class Effort {
  readonly limit: number;
  /** The effort that this one is a part of; itself if it is not a part of any. */
  readonly whole: Effort;
  #spent = 0;
  #pausedAt = 0;

  constructor(limit: number, whole?: Effort) {
    this.limit = limit;
    this.whole = whole ?? this;
  }

  /** So much of it and no more for one stage of the search. What the stage spends is spent of the whole too. */
  part(limit: number): Effort {
    return new Effort(limit, this.whole);
  }

  get spent(): number {
    return this.#spent;
  }

  spend(steps: number): void {
    this.#spent += steps;
    if (this.whole !== this) this.whole.spend(steps);
  }

  get isUsedUp(): boolean {
    return this.#spent >= this.limit || (this.whole !== this && this.whole.isUsedUp);
  }

  /** Whether it is time to pause. Says so once; whoever asks has to yield then. */
  isPauseDue(): boolean {
    if (this.whole !== this) return this.whole.isPauseDue();
    if (this.#spent - this.#pausedAt < STEPS_PER_PAUSE) return false;
    this.#pausedAt = this.#spent;
    return true;
  }
}

/** So many pod groups are looked at in about a millisecond. */
const GROUPS_PER_PAUSE = 500;

/** A pause after a stage that has looked once at each of so many pod groups, if that took long. */
export function* pauseAfter(groups: number): Reading<void> {
  if (groups >= GROUPS_PER_PAUSE) yield IMPROVING;
}
