import type { ApiObject, IntOrPercent, LabelSelectorSpec } from '@karpenter-ts/kubernetes';
import type { ObjectCondition } from './condition.ts';

export { POD_DISRUPTION_BUDGETS as DISRUPTION_BUDGETS } from '@karpenter-ts/kubernetes';

export interface DisruptionBudget extends ApiObject {
  readonly spec: {
    readonly selector?: LabelSelectorSpec;
    readonly minAvailable?: IntOrPercent;
    readonly maxUnavailable?: IntOrPercent;
  };
  readonly status?: DisruptionBudgetStatus;
}

export interface DisruptionBudgetStatus {
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly disruptionsAllowed: number;
  readonly observedGeneration?: number;
  /** When the eviction of a pod was granted, by its name, until the deletion is seen. */
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly conditions?: readonly ObjectCondition[];
}
