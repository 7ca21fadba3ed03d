import { type Metrics, MINUTE, SECOND, type SteadyClock } from '@karpenter-ts/runtime';
import { driftBackOffs, driftBackOffSeconds } from '../reports/disruption-metrics.ts';

export interface DriftBackOffDeps {
  readonly clock: Pick<SteadyClock, 'elapsed'>;
  readonly metrics: Metrics;
  /** Off, nothing is ever held back, as upstream. */
  readonly isOn: boolean;
  /** Numbers in [0, 1), for jitter. */
  readonly random: () => number;
}

interface Held {
  readonly level: number;
  /** Monotonic milliseconds. */
  readonly until: number;
}

const FIRST_WINDOW = 1 * MINUTE;
const LONGEST_WINDOW = 10 * MINUTE;

/**
 * Holds back the drift of NodePools whose replacements fail, so that they do not keep other pools waiting: upstream tries
 * the node that has been drifted longest again and again (spec 04 §§24-7, 25-1). The window doubles with each failure,
 * and is random in its second half.
 */
export class DriftBackOff {
  readonly #deps: DriftBackOffDeps;
  readonly #held = new Map<string, Held>(); // by NodePool

  constructor(deps: DriftBackOffDeps) {
    this.#deps = deps;
  }

  isHeld(nodePool: string): boolean {
    return this.#deps.clock.elapsed() < (this.#held.get(nodePool)?.until ?? 0);
  }

  /** A command failed. Failures of commands that were started before the last failure count as one with it. */
  fail(nodePool: string): void {
    if (!this.#deps.isOn || this.isHeld(nodePool)) return;
    const { clock, metrics, random } = this.#deps;
    const level = (this.#held.get(nodePool)?.level ?? 0) + 1;
    const window = Math.min(FIRST_WINDOW * 2 ** (level - 1), LONGEST_WINDOW);
    const length = window / 2 + (window / 2) * random();
    this.#held.set(nodePool, { level, until: clock.elapsed() + length });
    metrics.increment(driftBackOffs, { nodepool: nodePool });
    metrics.set(driftBackOffSeconds, { nodepool: nodePool }, length / SECOND);
  }

  /** A command succeeded: the next failure is the first again. */
  succeed(nodePool: string): void {
    if (this.#held.delete(nodePool)) this.#deps.metrics.remove(driftBackOffSeconds, { nodepool: nodePool });
  }

  /** Forgets NodePools that no longer exist. */
  keepOnly(nodePools: { has(name: string): boolean }): void {
    for (const name of this.#held.keys()) if (!nodePools.has(name)) this.succeed(name);
  }
}
