import { goQuote, type Pod } from '@karpenter-ts/kubernetes';
import { parseFloatLiteral } from '@karpenter-ts/runtime';
import { isReschedulable } from './predicates.ts';

/** Kubernetes' annotation: which pods of a ReplicaSet go first when it is scaled down. */
export const POD_DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/** The cost of a pod that says nothing. */
const DEFAULT_COST = 1;
const LEAST_COST = -10;
const MOST_COST = 10;
/** Deletion costs are int32, so that the lowest one makes a pod count as about -15 pods. */
const DELETION_COST_UNIT = 2 ** 27;
/** Priorities lie between -2^31 and 10^9. */
const PRIORITY_UNIT = 2 ** 25;

/** A deletion cost that is not a number. It counts as none. */
export interface InvalidDeletionCost {
  readonly value: string;
  /** Go's words for what is wrong, for the log. */
  readonly problem: string;
}

/** What the eviction of a pod costs, compared with other pods: 1 unless the pod says more or less (spec 04 §5). */
export function evictionCost(pod: Pod): number {
  const deletionCost = readDeletionCost(pod);
  const asked = typeof deletionCost === 'number' ? deletionCost / DELETION_COST_UNIT : 0;
  const cost = DEFAULT_COST + asked + (pod.spec.priority ?? 0) / PRIORITY_UNIT;
  return Math.min(Math.max(cost, LEAST_COST), MOST_COST);
}

/** What is wrong with the pod's deletion cost; undefined if there is none or it can be read. */
export function findInvalidDeletionCost(pod: Pod): InvalidDeletionCost | undefined {
  const deletionCost = readDeletionCost(pod);
  return typeof deletionCost === 'object' ? deletionCost : undefined;
}

/** The cost of evicting all pods on a node, whatever their owner or phase (spec 04 §5). */
export function reschedulingCost(pods: readonly Pod[]): number {
  return pods.reduce((sum, pod) => sum + evictionCost(pod), 0);
}

/** What every disrupted node costs, also an empty one. */
export const NODE_COST = 1;

/**
 * The cost of disrupting a node with these pods: only pods that need another node count, and none of them makes the
 * disruption cheaper (spec 04 §5).
 */
export function rescheduleDisruptionCost(pods: readonly Pod[]): number {
  return pods.reduce((sum, pod) => sum + (isReschedulable(pod) ? Math.max(0, evictionCost(pod)) : 0), NODE_COST);
}

function readDeletionCost({ metadata }: Pod): number | InvalidDeletionCost | undefined {
  const value = metadata.annotations?.[POD_DELETION_COST];
  if (value === undefined) return undefined;
  const parsed = parseFloatLiteral(value);
  // Upstream takes NaN for a number, and every sum with it is NaN.
  if (typeof parsed === 'number' && !Number.isNaN(parsed)) return parsed;
  const why = parsed === 'value out of range' ? parsed : 'invalid syntax';
  return { value, problem: `strconv.ParseFloat: parsing ${goQuote(value)}: ${why}` };
}
