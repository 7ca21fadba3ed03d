import { CAPACITY_TYPE_LABEL, EXPIRED_AT, INSTANCE_TYPE_LABEL, SPLIT, ZONE_LABEL } from '@karpenter-ts/apis';
import { findCondition, isTrue } from '@karpenter-ts/kubernetes';
import { type Instant, MINUTE } from '@karpenter-ts/runtime';
import { type ConsolidationReason, findQuiet, waitFor } from '../../nodeclaim/disruption-conditions/consolidatable.ts';
import { NODE_COST } from '../../pods/eviction-cost.ts';
import { transitionOf } from '../../writes/conditions.ts';
import type { Candidate } from './candidate.ts';

/** How long a node stays that is one of several which replaced fewer. */
const SPLIT_REST = 30 * MINUTE;

/** Why a method leaves a candidate alone. Most candidates simply do not concern a method: those reasons have no text. */
export type Ineligibility =
  | { readonly kind: 'StaticPool' }
  | { readonly kind: 'InstanceTypeNotFound'; readonly instanceType: string }
  | { readonly kind: 'LabelMissing'; readonly label: string }
  | { readonly kind: 'ConsolidationDisabled'; readonly nodePool: string }
  | { readonly kind: 'OnlyWhenEmpty'; readonly nodePool: string }
  | { readonly kind: 'Empty' }
  | { readonly kind: 'NotEmpty' }
  | { readonly kind: 'NotConsolidatable' }
  /** The pool keeps its empty nodes (spec 09 B3). */
  | { readonly kind: 'MethodOff' }
  /** It replaced a larger node a short time ago, and would otherwise be merged with others again (spec 09 A2). */
  | { readonly kind: 'RecentlySplit' }
  /** `minimum` in milliseconds; infinite if it could not be read (spec 09 B4). */
  | { readonly kind: 'TooYoung'; readonly minimum: number }
  | { readonly kind: 'NotDrifted' }
  /** It has not expired, or its pool deletes expired nodes at once. */
  | { readonly kind: 'NotExpired' };

/** The candidates of a method, and why the others are not. */
export interface EligibleCandidates {
  readonly eligible: readonly Candidate[];
  readonly ineligible: readonly { readonly candidate: Candidate; readonly why: Ineligibility }[];
}

/** Selects the candidates of a method by its own rule, one of the `find…Obstacle` below. */
export function selectEligible(
  candidates: readonly Candidate[],
  findObstacle: (candidate: Candidate, now: Instant) => Ineligibility | undefined,
  now: Instant,
): EligibleCandidates {
  const eligible: Candidate[] = [];
  const ineligible: { candidate: Candidate; why: Ineligibility }[] = [];
  for (const candidate of candidates) {
    const why = findObstacle(candidate, now);
    if (why === undefined) eligible.push(candidate);
    else ineligible.push({ candidate, why });
  }
  return { eligible, ineligible };
}

/**
 * Whether disrupting the node costs no more than the node itself. Pods may run there, if each of them says that its
 * eviction costs nothing.
 */
export function isEmpty({ rescheduleDisruptionCost }: Candidate): boolean {
  return rescheduleDisruptionCost <= NODE_COST;
}

/** Why Emptiness leaves the candidate alone; undefined if it does not (spec 04 §8). Every policy deletes empty nodes. */
export function findEmptinessObstacle(candidate: Candidate, now: Instant): Ineligibility | undefined {
  if (isStatic(candidate)) return { kind: 'StaticPool' };
  if (isDisabled(candidate, 'empty')) return { kind: 'ConsolidationDisabled', nodePool: poolOf(candidate) };
  if (!isEmpty(candidate)) return { kind: 'NotEmpty' };
  if (!isConsolidatable(candidate)) return { kind: 'NotConsolidatable' };
  if (!candidate.pool.settings.consolidationMethods.has('empty')) return { kind: 'MethodOff' };
  return findTimeObstacle(candidate, 'empty', now);
}

/** Why Drift leaves the candidate alone; undefined if it does not (spec 04 §9.3). */
export function findDriftObstacle(candidate: Candidate): Ineligibility | undefined {
  if (isStatic(candidate)) return { kind: 'StaticPool' };
  return isTrue(candidate.nodeClaim, 'Drifted') ? undefined : { kind: 'NotDrifted' };
}

/** Why Expiration leaves the candidate alone; undefined if it does not (spec 09 B2). */
export function findExpirationObstacle(candidate: Candidate): Ineligibility | undefined {
  if (isStatic(candidate)) return { kind: 'StaticPool' };
  const isExpired = candidate.nodeClaim.metadata.annotations?.[EXPIRED_AT] !== undefined;
  const isGraceful = candidate.pool.settings.expirationPolicy === 'Graceful';
  return isExpired && isGraceful ? undefined : { kind: 'NotExpired' };
}

/**
 * Why multi-node and single-node consolidation leave the candidate alone; undefined if they do not (spec 04 §11.1). They
 * compare prices, so they must know what the node was bought as. Empty nodes are left to Emptiness and its budget.
 */
export function findConsolidationObstacle(candidate: Candidate, now: Instant): Ineligibility | undefined {
  const { labels } = candidate.stateNode.existing;
  if (isStatic(candidate)) return { kind: 'StaticPool' };
  if (candidate.instanceType === undefined) {
    return { kind: 'InstanceTypeNotFound', instanceType: labels[INSTANCE_TYPE_LABEL] ?? '' };
  }
  for (const label of [CAPACITY_TYPE_LABEL, ZONE_LABEL]) {
    if (labels[label] === undefined) return { kind: 'LabelMissing', label };
  }
  if (isDisabled(candidate, 'underutilized')) return { kind: 'ConsolidationDisabled', nodePool: poolOf(candidate) };
  if (isEmpty(candidate)) return { kind: 'Empty' };
  const { consolidationPolicy } = candidate.pool.nodePool.spec.disruption;
  if (consolidationPolicy === 'WhenEmpty') return { kind: 'OnlyWhenEmpty', nodePool: poolOf(candidate) };
  if (!isConsolidatable(candidate)) return { kind: 'NotConsolidatable' };
  return isRecentlySplit(candidate, now)
    ? { kind: 'RecentlySplit' }
    : findTimeObstacle(candidate, 'underutilized', now);
}

/**
 * What the pool waits for beyond the condition `Consolidatable`, which is true as soon as the shortest of its waits is
 * over (spec 09 B4).
 */
function findTimeObstacle(
  { nodeClaim, pool }: Candidate,
  reason: ConsolidationReason,
  now: Instant,
): Ineligibility | undefined {
  const { minNodeAge, waits } = pool.settings;
  const hasOwnWaits = waits.empty !== undefined || waits.underutilized !== undefined;
  if (hasOwnWaits) {
    const wait = waitFor(reason, pool.nodePool, pool.settings);
    if (findQuiet(nodeClaim, wait, now).kind !== 'Consolidatable') return { kind: 'NotConsolidatable' };
  }
  const initialized = findCondition(nodeClaim, 'Initialized');
  const isYoung = minNodeAge > 0 && !(initialized && now - transitionOf(initialized) >= minNodeAge);
  return isYoung ? { kind: 'TooYoung', minimum: minNodeAge } : undefined;
}

function isRecentlySplit({ nodeClaim: { metadata } }: Candidate, now: Instant): boolean {
  const isSplit = metadata.annotations?.[SPLIT] !== undefined;
  return isSplit && now - Date.parse(metadata.creationTimestamp ?? '') < SPLIT_REST;
}

function isStatic({ pool }: Candidate): boolean {
  return pool.nodePool.spec.replicas !== undefined;
}

/** Asked about every candidate in every pass, so it does not read the duration. */
function isDisabled({ pool }: Candidate, reason: ConsolidationReason): boolean {
  return (pool.settings.waits[reason] ?? pool.nodePool.spec.disruption.consolidateAfter) === 'Never';
}

function isConsolidatable({ nodeClaim }: Candidate): boolean {
  return isTrue(nodeClaim, 'Consolidatable');
}

function poolOf({ pool }: Candidate): string {
  return pool.nodePool.metadata.name;
}
