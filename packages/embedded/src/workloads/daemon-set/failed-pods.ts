import { type SteadyClock, MINUTE, SECOND } from '@karpenter-ts/runtime';

/** A node that refuses the set's pods gets them less and less often (kube-controller-manager's figures). */
const FIRST_DELAY = 1 * SECOND;
const LONGEST_DELAY = 15 * MINUTE;

interface Failure {
  readonly until: number; // elapsed milliseconds
  readonly delay: number;
}

/** Spaces out the replacement of failed pods, for each set and node by itself. */
export class FailedPods {
  readonly #clock: SteadyClock;
  readonly #failures = new Map<string, Failure>();

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /** Milliseconds until a failed pod may be replaced; 0 for now, and then the next will wait for longer. */
  delayFor(set: string, node: string): number {
    const key = `${set}\0${node}`;
    const now = this.#clock.elapsed();
    const last = this.#failures.get(key);
    if (last !== undefined && now < last.until) return last.until - now;
    const hasRecovered = last === undefined || now > last.until + 2 * LONGEST_DELAY;
    const delay = hasRecovered ? FIRST_DELAY : Math.min(2 * last.delay, LONGEST_DELAY);
    this.#failures.set(key, { until: now + delay, delay });
    return 0;
  }

  /** The set is gone. */
  forget(set: string): void {
    for (const key of this.#failures.keys()) if (key.startsWith(`${set}\0`)) this.#failures.delete(key);
  }
}
