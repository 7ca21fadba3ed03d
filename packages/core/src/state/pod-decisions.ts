import {
  defineHistogram,
  DURATION_BUCKETS,
  type Instant,
  type Metrics,
  SECOND,
  type SteadyClock,
} from '@karpenter-ts/runtime';
import { objectKey } from '@karpenter-ts/kubernetes';
import type { Pod } from '@karpenter-ts/scheduling';

const decisionSeconds = defineHistogram(
  'karpenter_pods_scheduling_decision_duration_seconds',
  [],
  "The time it takes for Karpenter to first try to schedule a pod after it's been seen.",
  DURATION_BUCKETS,
);

/** What has been done about a pod so far; each time is that of the first occurrence. */
export interface PodDecision {
  /** When it was first seen to need a place. */
  readonly seenAt?: Instant | undefined;
  /** The same moment in elapsed milliseconds, from which the decision's duration is measured. */
  readonly seenElapsed?: number | undefined;
  /** When it was first decided upon, one way or the other. */
  readonly decidedAt?: Instant | undefined;
  /** Since when there is a place for it; not known of pods that are bound, or have none now. */
  readonly placeableSince?: Instant | undefined;
  /** As `placeableSince`, while that place is of a NodePool whose nodes register. */
  readonly placeableOnHealthySince?: Instant | undefined;
  /** Where it is expected; known once that exists. */
  readonly nodeClaim?: string | undefined;
  /** Why it had no place the last time; absent when it had one. */
  readonly failure?: string | undefined;
}

export interface DecisionDeps {
  readonly clock: SteadyClock;
  readonly metrics: Metrics;
  /** Where the pods are that exist. */
  readonly caches: { readonly pods: { get(key: string): Pod | undefined } };
}

/**
 * What is remembered of pods that need, or needed, a place: for metrics and explanations (spec 02 §25.4). A plan takes
 * time, and what it says of a pod that is gone by then, be there a namesake, is not kept: nobody would ever forget it.
 */
export class PodDecisions {
  readonly #deps: DecisionDeps;
  readonly #known = new Map<string, PodDecision>(); // by namespace/name

  constructor(deps: DecisionDeps) {
    this.#deps = deps;
  }

  /** Of how many pods something is remembered. */
  get size(): number {
    return this.#known.size;
  }

  /** By namespace/name. */
  find(pod: string): PodDecision | undefined {
    return this.#known.get(pod);
  }

  /** The pod needs a place. */
  see(pod: Pod): void {
    if (this.#of(pod)?.seenAt !== undefined) return;
    const { clock } = this.#deps;
    this.#merge(pod, { seenAt: clock.now(), seenElapsed: clock.elapsed() });
  }

  /** There was no place for it. */
  fail(pod: Pod, failure: string): void {
    this.#decide(pod);
    this.#merge(pod, {
      failure,
      placeableSince: undefined,
      placeableOnHealthySince: undefined,
      nodeClaim: undefined,
    });
  }

  /** There is a place for it; `isHealthy` says whether nodes of that NodePool register. */
  place(pod: Pod, isHealthy: boolean): void {
    this.#decide(pod);
    const now = this.#deps.clock.now();
    const known = this.#of(pod);
    this.#merge(pod, {
      failure: undefined,
      placeableSince: known?.placeableSince ?? now,
      placeableOnHealthySince: isHealthy ? (known?.placeableOnHealthySince ?? now) : undefined,
    });
  }

  /** The NodeClaim of its place exists. */
  expectOn(pod: Pod, nodeClaim: string): void {
    this.#merge(pod, { nodeClaim });
  }

  /** It is gone, or needs nothing more; by namespace/name. */
  forget(pod: string): void {
    this.#known.delete(pod);
  }

  #decide(pod: Pod): void {
    const known = this.#of(pod);
    if (known?.decidedAt !== undefined) return;
    const { clock, metrics } = this.#deps;
    this.#merge(pod, { decidedAt: clock.now() });
    if (known?.seenElapsed === undefined) return;
    metrics.observe(decisionSeconds, {}, (clock.elapsed() - known.seenElapsed) / SECOND);
  }

  #of({ metadata }: Pod): PodDecision | undefined {
    return this.#known.get(objectKey(metadata));
  }

  #merge({ metadata }: Pod, change: PodDecision): void {
    const key = objectKey(metadata);
    const isGone = this.#deps.caches.pods.get(key)?.metadata.uid !== metadata.uid;
    if (!isGone) this.#known.set(key, { ...this.#known.get(key), ...change });
  }
}
