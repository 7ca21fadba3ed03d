import { DO_NOT_DISRUPT, type NodeClaim } from '@karpenter-ts/apis';
import { nanosToMilliseconds, parseNillableDuration, type Pod } from '@karpenter-ts/kubernetes';
import type { Instant } from '@karpenter-ts/runtime';
import { isActive } from '../../kinds/pod.ts';
import {
  findInvalidDeletionCost,
  type InvalidDeletionCost,
  rescheduleDisruptionCost,
  reschedulingCost,
} from '../../pods/eviction-cost.ts';
import { isReschedulable } from '../../pods/predicates.ts';

/** What follows from the pods of a node alone. */
export interface NodeCosts {
  /** The pods that need another node. */
  readonly reschedulablePods: readonly Pod[];
  /** Active pods with a do-not-disrupt annotation of any kind. The annotation does not concern pods that are going. */
  readonly annotatedPods: readonly Pod[];
  /** Pods whose deletion cost is not a number and counts as none. */
  readonly invalidCosts: readonly PodWithInvalidCost[];
  readonly reschedulingCost: number;
  readonly rescheduleDisruptionCost: number;
}

export interface PodWithInvalidCost extends InvalidDeletionCost {
  readonly pod: Pod;
}

/** Computes what the pods of a node cost (spec 04 §5): all of them, also those that have failed or succeeded. */
export function nodeCosts(pods: readonly Pod[]): NodeCosts {
  return {
    reschedulablePods: pods.filter(isReschedulable),
    annotatedPods: pods.filter((pod) => pod.metadata.annotations?.[DO_NOT_DISRUPT] !== undefined && isActive(pod)),
    invalidCosts: pods.flatMap((pod) => {
      const invalid = findInvalidDeletionCost(pod);
      return invalid === undefined ? [] : [{ ...invalid, pod }];
    }),
    reschedulingCost: reschedulingCost(pods),
    rescheduleDisruptionCost: rescheduleDisruptionCost(pods),
  };
}

/** From the creation of a NodeClaim to its expiration. */
export interface Lifetime {
  readonly start: Instant;
  /** Milliseconds. */
  readonly length: number;
}

/** Undefined if the NodeClaim never expires. */
export function findLifetime({ metadata, spec }: NodeClaim): Lifetime | undefined {
  const expireAfter = parseNillableDuration(spec.expireAfter);
  if (expireAfter === undefined || metadata.creationTimestamp === undefined) return undefined;
  return { start: Date.parse(metadata.creationTimestamp), length: nanosToMilliseconds(expireAfter) };
}

/** Which part of the lifetime is left, between 0 and 1. */
export function lifetimeRemaining(lifetime: Lifetime | undefined, now: Instant): number {
  if (lifetime === undefined) return 1;
  const { start, length } = lifetime;
  return length === 0 ? 0 : Math.min(Math.max((length - (now - start)) / length, 0), 1);
}
