import type { Instant } from '@karpenter-ts/runtime';
import { isDaemonPod, isTerminating } from '../kinds/pod.ts';
import type { Pod } from '@karpenter-ts/kubernetes';
import { isWaitingForEviction, mustBeDeleted } from './pod-drain.ts';

/** The next step of draining a node. */
export interface Drain {
  /** All pods that the drain waits for. */
  readonly waiting: readonly Pod[];
  /** Those of `waiting` to evict now; pods that are terminating already are only waited for. */
  readonly next: readonly Pod[];
}

const CRITICAL: ReadonlySet<string> = new Set(['system-cluster-critical', 'system-node-critical']);

/**
 * Pods are evicted in four groups, each after the last one is gone: critical pods and DaemonSet pods go later, because
 * others depend on them. Pods that must be deleted to meet the deadline do not wait for their group (spec 03 §7.4).
 */
export function planDrain(pods: readonly Pod[], deadline: Instant | undefined, now: Instant): Drain {
  const waiting = pods.filter((pod) => isWaitingForEviction(pod, now));
  const late = waiting.filter((pod) => mustBeDeleted(pod, deadline, now));
  const others = waiting.filter((pod) => !mustBeDeleted(pod, deadline, now));
  const first = Math.min(...others.map(groupOf));
  const asked = others.filter((pod) => groupOf(pod) === first && !isTerminating(pod));
  return { waiting, next: [...late, ...asked] };
}

/** The group: 0 for ordinary pods, 1 for DaemonSet pods, 2 and 3 for the same of critical priority. */
function groupOf(pod: Pod): number {
  const isCritical = CRITICAL.has(pod.spec.priorityClassName ?? '');
  return (isCritical ? 2 : 0) + (isDaemonPod(pod) ? 1 : 0);
}
