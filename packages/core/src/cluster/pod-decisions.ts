import {
  type Clock,
  DURATION_BUCKETS,
  defineHistogram,
  type Instant,
  type Metrics,
  SECOND,
} from '@karpenter-ts/runtime';

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

/** What is remembered of pods that need, or needed, a place: for metrics and explanations (spec 02 §25.4). */
export class PodDecisions {
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #known = new Map<string, PodDecision>(); // by namespace/name

  constructor({ clock, metrics }: { readonly clock: Clock; readonly metrics: Metrics }) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  find(pod: string): PodDecision | undefined {
    return this.#known.get(pod);
  }

  /** The pod needs a place. */
  see(pod: string): void {
    if (this.find(pod)?.seenAt === undefined) this.#merge(pod, { seenAt: this.#clock.now() });
  }

  /** There was no place for it. */
  fail(pod: string, failure: string): void {
    this.#decide(pod);
    this.#merge(pod, {
      failure,
      placeableSince: undefined,
      placeableOnHealthySince: undefined,
      nodeClaim: undefined,
    });
  }

  /** There is a place for it; `isHealthy` says whether nodes of that NodePool register. */
  place(pod: string, isHealthy: boolean): void {
    this.#decide(pod);
    const now = this.#clock.now();
    const known = this.find(pod);
    this.#merge(pod, {
      failure: undefined,
      placeableSince: known?.placeableSince ?? now,
      placeableOnHealthySince: isHealthy ? (known?.placeableOnHealthySince ?? now) : undefined,
    });
  }

  /** The NodeClaim of its place exists. */
  expectOn(pod: string, nodeClaim: string): void {
    this.#merge(pod, { nodeClaim });
  }

  /** It is gone, or needs nothing more. */
  forget(pod: string): void {
    this.#known.delete(pod);
  }

  #decide(pod: string): void {
    const known = this.find(pod);
    if (known?.decidedAt !== undefined) return;
    const now = this.#clock.now();
    this.#merge(pod, { decidedAt: now });
    if (known?.seenAt !== undefined) this.#metrics.observe(decisionSeconds, {}, (now - known.seenAt) / SECOND);
  }

  #merge(pod: string, change: PodDecision): void {
    this.#known.set(pod, { ...this.#known.get(pod), ...change });
  }
}
