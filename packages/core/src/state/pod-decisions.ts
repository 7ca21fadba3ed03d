import {
  defineHistogram,
  DURATION_BUCKETS,
  type Instant,
  type Metrics,
  SECOND,
  type SteadyClock,
} from '@karpenter-ts/runtime';
import { objectKey, type Pod } from '@karpenter-ts/kubernetes';
import type { PodFailure } from './pod-failure.ts';

const decisionSeconds = defineHistogram(
  'karpenter_pods_scheduling_decision_duration_seconds',
  [],
  "The time it takes for Karpenter to first try to schedule a pod after it's been seen.",
  DURATION_BUCKETS,
);

/** What was decided about a pod; each time is that of the first occurrence. */
export interface PodDecision {
  /** When the pod was first seen to need a node. */
  readonly seenAt?: Instant | undefined;
  /** The same moment on the monotonic clock, to measure how long the decision took. */
  readonly seenElapsed?: number | undefined;
  /** When a plan first decided about the pod, either way. */
  readonly decidedAt?: Instant | undefined;
  /** Since when there is a node for the pod. Unset for bound pods and for pods without a node. */
  readonly placeableSince?: Instant | undefined;
  /** As `placeableSince`, while the node belongs to a NodePool whose nodes register. */
  readonly placeableOnHealthySince?: Instant | undefined;
  /** The NodeClaim the pod is expected on, once it exists. */
  readonly nodeClaim?: string | undefined;
  /** Why there is no node for the pod; unset if the last plan found one. Equal failures of a plan are one object. */
  readonly failure?: PodFailure | undefined;
}

export interface DecisionDeps {
  readonly clock: SteadyClock;
  readonly metrics: Metrics;
  /** To look up whether a pod still exists. */
  readonly caches: { readonly pods: { get(key: string): Pod | undefined } };
}

/**
 * What was decided about pods that need, or needed, a node, for metrics and explanations (spec 02 §25.4). A plan takes
 * time: its decision about a pod that was deleted meanwhile is dropped, even if a new pod has the same name, because
 * nothing would ever remove the entry.
 */
export class PodDecisions {
  readonly #deps: DecisionDeps;
  readonly #known = new Map<string, PodDecision>(); // by namespace/name

  constructor(deps: DecisionDeps) {
    this.#deps = deps;
  }

  /** The number of pods with a decision. */
  get size(): number {
    return this.#known.size;
  }

  /** By namespace/name. */
  find(pod: string): PodDecision | undefined {
    return this.#known.get(pod);
  }

  /** The pod needs a node. */
  see(pod: Pod): void {
    if (this.#of(pod)?.seenAt !== undefined) return;
    const { clock } = this.#deps;
    this.#merge(pod, { seenAt: clock.now(), seenElapsed: clock.elapsed() });
  }

  /** There is no node for the pod. */
  fail(pod: Pod, failure: PodFailure): void {
    this.#decide(pod);
    this.#merge(pod, {
      failure,
      placeableSince: undefined,
      placeableOnHealthySince: undefined,
      nodeClaim: undefined,
    });
  }

  /** A plan found a node for the pod; `isHealthy` says whether nodes of that NodePool register. */
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

  /** The NodeClaim planned for the pod was created. */
  expectOn(pod: Pod, nodeClaim: string): void {
    this.#merge(pod, { nodeClaim });
  }

  /** The pod (namespace/name) is gone or needs nothing more. */
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
