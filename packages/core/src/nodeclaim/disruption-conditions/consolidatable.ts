import type { DisruptionSettings, NodeClaim, NodePool } from '@karpenter-ts/apis';
import { findCondition, nanosToMilliseconds, parseNillableDuration } from '@karpenter-ts/kubernetes';
import type { Instant } from '@karpenter-ts/runtime';
import { transitionOf } from '../../writes/conditions.ts';

/** Whether no pod has been bound or removed for as long as it must be, and if not, why. */
export type Quiet =
  | { readonly kind: 'Consolidatable' }
  | { readonly kind: 'Disabled' }
  | { readonly kind: 'NotInitialized' }
  | { readonly kind: 'Busy'; readonly since: Instant; readonly window: number };

/** What a node is consolidated as. */
export type ConsolidationReason = 'empty' | 'underutilized';

/** The time counts from the last pod event, or from the initialisation if there was none (spec 03 §13). */
export function findQuiet(nodeClaim: NodeClaim, wait: number | 'Never', now: Instant): Quiet {
  if (wait === 'Never') return { kind: 'Disabled' };
  const initialized = findCondition(nodeClaim, 'Initialized');
  if (initialized?.status !== 'True') return { kind: 'NotInitialized' };
  const lastEvent = nodeClaim.status?.lastPodEventTime;
  const since = lastEvent === undefined ? transitionOf(initialized) : Date.parse(lastEvent);
  const isBusy = wait > 0 && now - since < wait; // without a wait nothing is waited for, whatever the clocks say
  return isBusy ? { kind: 'Busy', since, window: wait } : { kind: 'Consolidatable' };
}

/** How long a node must be quiet before it is consolidated for a reason, in milliseconds (spec 09 B4). */
export function waitFor(
  reason: ConsolidationReason,
  { spec }: Pick<NodePool, 'spec'>,
  { waits }: Pick<DisruptionSettings, 'waits'>,
): number | 'Never' {
  const own = waits[reason];
  if (own !== undefined) return own;
  const wait = parseNillableDuration(spec.disruption.consolidateAfter);
  return wait === undefined ? 'Never' : nanosToMilliseconds(wait);
}

/** How long it must be quiet before it is consolidated for any reason. */
export function shortestWait(
  nodePool: Pick<NodePool, 'spec'>,
  settings: Pick<DisruptionSettings, 'waits'>,
): number | 'Never' {
  const waits = (['empty', 'underutilized'] as const).map((reason) => waitFor(reason, nodePool, settings));
  const counted = waits.filter((wait) => wait !== 'Never');
  return counted.length === 0 ? 'Never' : Math.min(...counted);
}
