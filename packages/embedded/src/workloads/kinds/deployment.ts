import type { ApiObject, IntOrPercent, LabelSelectorSpec } from '@karpenter-ts/kubernetes';
import type { ObjectCondition } from './condition.ts';
import type { PodTemplate } from './pod.ts';

export { DEPLOYMENTS } from '@karpenter-ts/kubernetes';

export interface Deployment extends ApiObject {
  readonly spec: {
    readonly replicas: number;
    readonly paused?: boolean;
    readonly minReadySeconds?: number;
    readonly progressDeadlineSeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly selector: LabelSelectorSpec;
    readonly strategy: {
      readonly type: string;
      readonly rollingUpdate?: { readonly maxSurge?: IntOrPercent; readonly maxUnavailable?: IntOrPercent };
    };
    readonly template: PodTemplate;
  };
  readonly status?: DeploymentStatus;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly ObjectCondition[];
}
