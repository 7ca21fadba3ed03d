import { readDoNotDisrupt } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { Clock, EventDraft } from '@karpenter-ts/runtime';
import type { Caches } from '../state/caches.ts';
import type { StateNode } from '../state/state-node.ts';
import type { TimeSlices } from '../state/time-slices.ts';
import type { PodDisruptionBudgets } from './disruption-budgets.ts';
import { findProtectionEvent } from './do-not-disrupt.ts';
import { findReschedulingBlock, reschedulablePodsOn } from './reschedulable-pods.ts';

/** What finding displaced pods depends on. */
export interface DisplacementDeps {
  readonly caches: Pick<Caches, 'pods'>;
  readonly clock: Clock;
  readonly podDisruptionBudgets: PodDisruptionBudgets;
}

/** The displaced pods, and the events to publish about them. */
export interface DisplacedPods {
  readonly pods: readonly Pod[];
  readonly events: readonly EventDraft[];
}

/**
 * Pods that need another node because theirs is deleting (spec 02 §4.3). A pod that may not be evicted is left out.
 */
export async function findDisplacedPods(
  deleting: readonly StateNode[],
  { caches, clock, podDisruptionBudgets }: DisplacementDeps,
  slices: TimeSlices,
): Promise<DisplacedPods> {
  const now = clock.now();
  const pods: Pod[] = [];
  const events: EventDraft[] = [];
  for (const { node } of deleting) {
    if (slices.isOver) await slices.pause();
    for (const pod of reschedulablePodsOn(node?.metadata.name ?? '', caches)) {
      if (slices.isOver) await slices.pause();
      const doNotDisrupt = readDoNotDisrupt(pod, now);
      const event = findProtectionEvent(pod, doNotDisrupt);
      if (event !== undefined) events.push(event);
      if (findReschedulingBlock(pod, doNotDisrupt, podDisruptionBudgets) === undefined) pods.push(pod);
    }
  }
  return { pods, events };
}
