import { DO_NOT_DISRUPT, type NodeClaim } from '@karpenter-ts/apis';
import { nanosToMilliseconds, parseNillableDuration, type Pod } from '@karpenter-ts/kubernetes';
import type { Instant } from '@karpenter-ts/runtime';
import { isActive } from '../kinds/pod.ts';
import { rescheduleDisruptionCost, reschedulingCost } from '../pods/eviction-cost.ts';
import { isReschedulable } from '../pods/predicates.ts';

/** What follows from the pods of a node alone. */
export interface NodeCosts {
  /** All of them, also those that have failed or succeeded. */
  readonly pods: readonly Pod[];
  /** The pods that need another node. */
  readonly reschedulablePods: readonly Pod[];
  /** Active pods with a do-not-disrupt annotation of any kind. The annotation does not concern pods that are going. */
  readonly annotatedPods: readonly Pod[];
  readonly reschedulingCost: number;
  readonly rescheduleDisruptionCost: number;
}

/** Computes what the pods of a node cost (spec 04 §5). */
export function nodeCosts(pods: readonly Pod[]): NodeCosts {
  return {
    pods,
    reschedulablePods: pods.filter(isReschedulable),
    annotatedPods: pods.filter((pod) => pod.metadata.annotations?.[DO_NOT_DISRUPT] !== undefined && isActive(pod)),
    reschedulingCost: reschedulingCost(pods),
    rescheduleDisruptionCost: rescheduleDisruptionCost(pods),
  };
}

/** Which part of a NodeClaim's life is left before it expires, between 0 and 1; 1 if it never does. */
export function lifetimeRemaining({ metadata, spec }: NodeClaim, now: Instant): number {
  const expireAfter = parseNillableDuration(spec.expireAfter);
  if (expireAfter === undefined || metadata.creationTimestamp === undefined) return 1;
  const lifetime = nanosToMilliseconds(expireAfter);
  if (lifetime === 0) return 0;
  const left = lifetime - (now - Date.parse(metadata.creationTimestamp));
  return Math.min(Math.max(left / lifetime, 0), 1);
}
