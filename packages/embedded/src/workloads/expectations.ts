import { type SteadyClock, MINUTE } from '@karpenter-ts/runtime';

interface Expected {
  creations: number;
  readonly deletions: Set<string>; // uids
  readonly since: number; // elapsed milliseconds
}

/** Expectations expire after this time: kube-controller-manager's figure. */
const TIMEOUT = 5 * MINUTE;

/**
 * Creations and deletions that a controller has requested and that its cache does not show yet, by key of the owner
 * (client-go's ControllerExpectations). Until they are seen, a reconcile would count too few or too many pods and
 * repeat the writes.
 */
export class Expectations {
  readonly #clock: SteadyClock;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /** Called before the writes, because their events may arrive before their answers. */
  expectCreations(key: string, count: number): void {
    this.#of(key).creations += count;
  }

  expectDeletions(key: string, uids: Iterable<string>): void {
    const { deletions } = this.#of(key);
    for (const uid of uids) deletions.add(uid);
  }

  /** A creation was observed, or failed. */
  created(key: string): void {
    const expected = this.#expected.get(key);
    if (expected !== undefined && expected.creations > 0) expected.creations--;
  }

  /** This deletion was observed, or failed. */
  deleted(key: string, uid: string): void {
    this.#expected.get(key)?.deletions.delete(uid);
  }

  /** Whether the cache shows all writes that were made for this key. */
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
