import { findCondition, nanosToMilliseconds, parseNillableDuration } from '@karpenter-ts/kubernetes';
import type { NodeClaim, NodePool } from '@karpenter-ts/apis';
import type { Instant } from '@karpenter-ts/runtime';
import { transitionOf } from '../../writes/conditions.ts';

/** Whether no pod has been bound or removed for `consolidateAfter`, and if not, why. */
export type Quiet =
  | { readonly kind: 'Consolidatable' }
  | { readonly kind: 'Disabled' }
  | { readonly kind: 'NotInitialized' }
  | { readonly kind: 'Busy'; readonly since: Instant; readonly window: number };

/** The time counts from the last pod event, or from the initialisation if there was none (spec 03 §13). */
export function findQuiet(nodeClaim: NodeClaim, nodePool: NodePool, now: Instant): Quiet {
  const consolidateAfter = parseNillableDuration(nodePool.spec.disruption.consolidateAfter);
  if (consolidateAfter === undefined) return { kind: 'Disabled' };
  const initialized = findCondition(nodeClaim, 'Initialized');
  if (initialized?.status !== 'True') return { kind: 'NotInitialized' };
  const lastEvent = nodeClaim.status?.lastPodEventTime;
  const since = lastEvent === undefined ? transitionOf(initialized) : Date.parse(lastEvent);
  const window = nanosToMilliseconds(consolidateAfter);
  const isBusy = window > 0 && now - since < window; // with consolidateAfter 0 nothing is waited for, whatever the clocks say
  return isBusy ? { kind: 'Busy', since, window } : { kind: 'Consolidatable' };
}
