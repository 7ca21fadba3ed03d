import type { PodDisruptionBudget } from '@karpenter-ts/kubernetes';

/** Whether the budget can never allow a disruption, whatever the state of its pods. */
export function isFullyBlocking({ spec: { minAvailable, maxUnavailable } }: PodDisruptionBudget): boolean {
  return maxUnavailable === 0 || maxUnavailable === '0%' || minAvailable === '100%';
}

/** Whether pods that are not ready may be evicted regardless of the budget. */
export function permitsUnhealthy({ spec }: PodDisruptionBudget): boolean {
  return spec.unhealthyPodEvictionPolicy === 'AlwaysAllow';
}
