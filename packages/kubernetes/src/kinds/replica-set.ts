import type { ApiObject } from '../objects/resource-type.ts';
import type { LabelSelectorSpec } from '../selectors/label-selector.ts';
import type { ObjectCondition } from './condition.ts';
import type { PodTemplate } from './pod.ts';

export interface ReplicaSet extends ApiObject {
  readonly spec: {
    readonly replicas: number;
    readonly minReadySeconds?: number | undefined;
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
  };
  readonly status?: ReplicaSetStatus | undefined;
}

export interface ReplicaSetStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number | undefined;
  readonly readyReplicas?: number | undefined;
  readonly availableReplicas?: number | undefined;
  readonly terminatingReplicas?: number | undefined;
  readonly observedGeneration?: number | undefined;
  readonly conditions?: readonly ObjectCondition[] | undefined;
}
