import type { LabelSelectorSpec, ObjectMeta } from '@karpenter-ts/kubernetes';

/** What the controllers read of a policy/v1 PodDisruptionBudget. */
export interface PodDisruptionBudget {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly selector?: LabelSelectorSpec | undefined;
    readonly minAvailable?: number | string | undefined;
    readonly maxUnavailable?: number | string | undefined;
    readonly unhealthyPodEvictionPolicy?: string | undefined;
  };
  readonly status?: { readonly disruptionsAllowed?: number | undefined } | undefined;
}

/** Whether the budget can never allow a disruption, whatever the state of its pods. */
export function isFullyBlocking({ spec: { minAvailable, maxUnavailable } }: PodDisruptionBudget): boolean {
  return maxUnavailable === 0 || maxUnavailable === '0%' || minAvailable === '100%';
}

/** Whether pods that are not ready may be evicted regardless of the budget. */
export function permitsUnhealthy({ spec }: PodDisruptionBudget): boolean {
  return spec.unhealthyPodEvictionPolicy === 'AlwaysAllow';
}
