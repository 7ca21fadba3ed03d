import type { DoNotDisrupt } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { Caches } from '../state/caches.ts';
import { podsOn } from '../state/node-nodeclaim-links.ts';
import type { BudgetBlock, PodDisruptionBudgets } from './disruption-budgets.ts';
import { isDisruptable, isReschedulable } from './predicates.ts';

/** The pods on the Node of this name that need another node when it is deleted; none for ''. */
export function reschedulablePodsOn(nodeName: string, caches: Pick<Caches, 'pods'>): readonly Pod[] {
  return podsOn(nodeName, caches).filter(isReschedulable);
}

/** Why a reschedulable pod stays where it is for an unknown time. */
export type ReschedulingBlock = BudgetBlock | { readonly kind: 'DoNotDisrupt' };

/**
 * Why no other node is planned for a reschedulable pod. Nobody knows when it will go, and capacity that waits for it is
 * wasted. Undefined for a pod that is currently reschedulable (spec 04 §4).
 */
export function findReschedulingBlock(
  pod: Pod,
  doNotDisrupt: DoNotDisrupt,
  budgets: PodDisruptionBudgets,
): ReschedulingBlock | undefined {
  if (!isDisruptable(pod, doNotDisrupt)) return { kind: 'DoNotDisrupt' };
  return budgets.findFullBlock(pod, doNotDisrupt);
}
