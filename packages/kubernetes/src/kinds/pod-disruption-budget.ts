import type { ApiObject } from '../objects/resource-type.ts';
import type { LabelSelectorSpec } from '../selectors/label-selector.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import type { ObjectCondition } from './condition.ts';

/** A policy/v1 PodDisruptionBudget. */
export interface PodDisruptionBudget extends ApiObject {
  readonly spec: {
    readonly selector?: LabelSelectorSpec | undefined;
    readonly minAvailable?: IntOrPercent | undefined;
    readonly maxUnavailable?: IntOrPercent | undefined;
    readonly unhealthyPodEvictionPolicy?: string | undefined;
  };
  readonly status?: PodDisruptionBudgetStatus | undefined;
}

export interface PodDisruptionBudgetStatus {
  readonly currentHealthy?: number | undefined;
  readonly desiredHealthy?: number | undefined;
  readonly expectedPods?: number | undefined;
  readonly disruptionsAllowed?: number | undefined;
  readonly observedGeneration?: number | undefined;
  /** When the eviction of a pod was granted, by its name, until the deletion is seen. */
  readonly disruptedPods?: Readonly<Record<string, string>> | undefined;
  readonly conditions?: readonly ObjectCondition[] | undefined;
}
