import { type SteadyClock, MINUTE, SECOND } from '@karpenter-ts/runtime';

/** The back-off for pods that fail on a node (kube-controller-manager's figures). */
const FIRST_DELAY = 1 * SECOND;
const LONGEST_DELAY = 15 * MINUTE;

interface Failure {
  readonly until: number; // elapsed milliseconds
  readonly delay: number;
}

/**
 * Delays the replacement of failed pods, for each set and node. A recovery sends no event, so the entries of nodes that
 * have recovered are dropped when another node starts to fail.
 */
export class FailedPods {
  readonly #clock: SteadyClock;
  readonly #failures = new Map<string, Failure>();

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /** Milliseconds until a failed pod may be replaced. Returning 0 lengthens the back-off for the next one. */
  delayFor(set: string, node: string): number {
    const key = `${set}\0${node}`;
    const now = this.#clock.elapsed();
    const last = this.#failures.get(key);
    if (last !== undefined && now < last.until) return last.until - now;
    const isAgain = last !== undefined && !hasRecovered(last, now);
    const delay = isAgain ? Math.min(2 * last.delay, LONGEST_DELAY) : FIRST_DELAY;
    if (!isAgain) this.#forgetRecovered(now);
    this.#failures.set(key, { until: now + delay, delay });
    return 0;
  }

  /** How many pairs of set and node are in back-off. */
  get size(): number {
    return this.#failures.size;
  }

  #forgetRecovered(now: number): void {
    for (const [key, failure] of this.#failures) if (hasRecovered(failure, now)) this.#failures.delete(key);
  }

  /** The set is gone. */
  forget(set: string): void {
    for (const key of this.#failures.keys()) if (key.startsWith(`${set}\0`)) this.#failures.delete(key);
  }
}

function hasRecovered({ until }: Failure, now: number): boolean {
  return now > until + 2 * LONGEST_DELAY;
}
