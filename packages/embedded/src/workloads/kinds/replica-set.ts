import type { ApiObject, LabelSelectorSpec } from '@karpenter-ts/kubernetes';
import type { ObjectCondition } from './condition.ts';
import type { PodTemplate } from './pod.ts';

export { REPLICA_SETS } from '@karpenter-ts/kubernetes';

export interface ReplicaSet extends ApiObject {
  readonly spec: {
    readonly replicas: number;
    readonly minReadySeconds?: number;
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
  };
  readonly status?: ReplicaSetStatus;
}

export interface ReplicaSetStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly ObjectCondition[];
}
