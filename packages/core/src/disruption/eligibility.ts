import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { isTrue, parseNillableDuration } from '@karpenter-ts/kubernetes';
import type { Candidate } from './candidate.ts';

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
  | { readonly kind: 'NotDrifted' };

/** The candidates of a method, and why the others are not. */
export interface EligibleCandidates {
  readonly eligible: readonly Candidate[];
  readonly ineligible: readonly { readonly candidate: Candidate; readonly why: Ineligibility }[];
}

/** Selects the candidates of a method by its own rule, one of the `find…Obstacle` below. */
export function selectEligible(
  candidates: readonly Candidate[],
  findObstacle: (candidate: Candidate) => Ineligibility | undefined,
): EligibleCandidates {
  const eligible: Candidate[] = [];
  const ineligible: { candidate: Candidate; why: Ineligibility }[] = [];
  for (const candidate of candidates) {
    const why = findObstacle(candidate);
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
  return rescheduleDisruptionCost <= 1;
}

/** Why Emptiness leaves the candidate alone; undefined if it does not (spec 04 §8). Every policy deletes empty nodes. */
export function findEmptinessObstacle(candidate: Candidate): Ineligibility | undefined {
  if (isStatic(candidate)) return { kind: 'StaticPool' };
  if (isConsolidationDisabled(candidate)) return { kind: 'ConsolidationDisabled', nodePool: poolOf(candidate) };
  if (!isEmpty(candidate)) return { kind: 'NotEmpty' };
  return isConsolidatable(candidate) ? undefined : { kind: 'NotConsolidatable' };
}

/** Why Drift leaves the candidate alone; undefined if it does not (spec 04 §9.3). */
export function findDriftObstacle(candidate: Candidate): Ineligibility | undefined {
  if (isStatic(candidate)) return { kind: 'StaticPool' };
  return isTrue(candidate.nodeClaim, 'Drifted') ? undefined : { kind: 'NotDrifted' };
}

/**
 * Why multi-node and single-node consolidation leave the candidate alone; undefined if they do not (spec 04 §11.1). They
 * compare prices, so they must know what the node was bought as. Empty nodes are left to Emptiness and its budget.
 */
export function findConsolidationObstacle(candidate: Candidate): Ineligibility | undefined {
  const { labels } = candidate.stateNode.existing;
  if (isStatic(candidate)) return { kind: 'StaticPool' };
  if (candidate.instanceType === undefined) {
    return { kind: 'InstanceTypeNotFound', instanceType: labels[INSTANCE_TYPE_LABEL] ?? '' };
  }
  for (const label of [CAPACITY_TYPE_LABEL, ZONE_LABEL]) {
    if (labels[label] === undefined) return { kind: 'LabelMissing', label };
  }
  if (isConsolidationDisabled(candidate)) return { kind: 'ConsolidationDisabled', nodePool: poolOf(candidate) };
  if (isEmpty(candidate)) return { kind: 'Empty' };
  const { consolidationPolicy } = candidate.pool.nodePool.spec.disruption;
  if (consolidationPolicy === 'WhenEmpty') return { kind: 'OnlyWhenEmpty', nodePool: poolOf(candidate) };
  return isConsolidatable(candidate) ? undefined : { kind: 'NotConsolidatable' };
}

function isStatic({ pool }: Candidate): boolean {
  return pool.nodePool.spec.replicas !== undefined;
}

function isConsolidationDisabled({ pool }: Candidate): boolean {
  return parseNillableDuration(pool.nodePool.spec.disruption.consolidateAfter) === undefined;
}

function isConsolidatable({ nodeClaim }: Candidate): boolean {
  return isTrue(nodeClaim, 'Consolidatable');
}

function poolOf({ pool }: Candidate): string {
  return pool.nodePool.metadata.name;
}
