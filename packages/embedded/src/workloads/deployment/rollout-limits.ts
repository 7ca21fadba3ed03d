import { type Deployment, scaledValue } from '@karpenter-ts/kubernetes';

export interface RolloutLimits {
  /** Pods that may exist above the wanted number. */
  readonly maxSurge: number;
  /** Pods that may be missing below it. */
  readonly maxUnavailable: number;
}

/**
 * maxSurge and maxUnavailable, resolved. If rounding makes both 0, one pod may be unavailable, or the rollout would
 * never move.
 */
export function rolloutLimits({ spec }: Deployment): RolloutLimits {
  if (spec.strategy.type !== 'RollingUpdate') return { maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge = 0, maxUnavailable = 0 } = spec.strategy.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, spec.replicas, 'up');
  const unavailable = scaledValue(maxUnavailable, spec.replicas, 'down');
  const atLeastOne = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { maxSurge: surge, maxUnavailable: Math.min(atLeastOne, spec.replicas) };
}
