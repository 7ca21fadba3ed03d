import type { Instant } from '@karpenter-ts/runtime';
import { isDaemonPod, isTerminating, type Pod } from '../kinds/pod.ts';
import { isWaitingForEviction, mustBeDeleted } from './pod-drain.ts';

/** What to do next to empty a node. */
export interface Drain {
  /** All that keep it from being empty. */
  readonly waiting: readonly Pod[];
  /** Of these, who is to be asked to go now; those who have been are waited for. */
  readonly next: readonly Pod[];
}

const CRITICAL: ReadonlySet<string> = new Set(['system-cluster-critical', 'system-node-critical']);

/**
 * Pods go in four groups, the next once none of the last is left: what others stand on goes after them. Those that must
 * be deleted to meet the deadline wait for nobody (spec 03 §7.4).
 */
export function planDrain(pods: readonly Pod[], deadline: Instant | undefined, now: Instant): Drain {
  const waiting = pods.filter((pod) => isWaitingForEviction(pod, now));
  const late = waiting.filter((pod) => mustBeDeleted(pod, deadline, now));
  const others = waiting.filter((pod) => !mustBeDeleted(pod, deadline, now));
  const first = Math.min(...others.map(groupOf));
  const asked = others.filter((pod) => groupOf(pod) === first && !isTerminating(pod));
  return { waiting, next: [...late, ...asked] };
}

/** From those nobody needs to those everybody does. */
function groupOf(pod: Pod): number {
  const isCritical = CRITICAL.has(pod.spec.priorityClassName ?? '');
  return (isCritical ? 2 : 0) + (isDaemonPod(pod) ? 1 : 0);
}
