import { type SteadyClock, MINUTE } from '@karpenter-ts/runtime';

interface Expected {
  creations: number;
  readonly deletions: Set<string>; // uids
  readonly since: number; // elapsed milliseconds
}

/** What was asked for and not seen for so long will not be seen: kube-controller-manager's figure. */
const TIMEOUT = 5 * MINUTE;

/**
 * What a controller has written and its cache has not shown yet, by the key of the object it did it for. Until then a
 * pass would see too few or too many pods, and do the same once more.
 */
export class Expectations {
  readonly #clock: SteadyClock;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /** Comes before the writes: what they set off may be seen before they are answered. */
  expectCreations(key: string, count: number): void {
    this.#of(key).creations += count;
  }

  expectDeletions(key: string, uids: Iterable<string>): void {
    const { deletions } = this.#of(key);
    for (const uid of uids) deletions.add(uid);
  }

  /** One creation was seen, or failed. */
  created(key: string): void {
    const expected = this.#expected.get(key);
    if (expected !== undefined && expected.creations > 0) expected.creations--;
  }

  /** This deletion was seen, or failed. */
  deleted(key: string, uid: string): void {
    this.#expected.get(key)?.deletions.delete(uid);
  }

  /** Whether the cache has caught up with all that was done for this key. */
  areMet(key: string): boolean {
    const expected = this.#expected.get(key);
    if (expected === undefined) return true;
    const isMet = expected.creations === 0 && expected.deletions.size === 0;
    if (!isMet && this.#clock.elapsed() - expected.since < TIMEOUT) return false;
    this.#expected.delete(key);
    return true;
  }

  /** The object is gone. */
  forget(key: string): void {
    this.#expected.delete(key);
  }

  #of(key: string): Expected {
    let expected = this.#expected.get(key);
    if (expected === undefined) {
      expected = { creations: 0, deletions: new Set(), since: this.#clock.elapsed() };
      this.#expected.set(key, expected);
    }
    return expected;
  }
}
