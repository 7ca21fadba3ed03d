import type { ApiObject } from '../objects/resource-type.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import type { LabelSelectorSpec } from '../selectors/label-selector.ts';
import type { ObjectCondition } from './condition.ts';
import type { PodTemplate } from './pod.ts';

export interface Deployment extends ApiObject {
  readonly spec: {
    readonly replicas: number;
    readonly paused?: boolean | undefined;
    readonly minReadySeconds?: number | undefined;
    readonly progressDeadlineSeconds?: number | undefined;
    readonly revisionHistoryLimit?: number | undefined;
    readonly selector: LabelSelectorSpec;
    readonly strategy: {
      readonly type: string;
      readonly rollingUpdate?:
        | { readonly maxSurge?: IntOrPercent | undefined; readonly maxUnavailable?: IntOrPercent | undefined }
        | undefined;
    };
    readonly template: PodTemplate;
  };
  readonly status?: DeploymentStatus | undefined;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number | undefined;
  readonly replicas?: number | undefined;
  readonly updatedReplicas?: number | undefined;
  readonly readyReplicas?: number | undefined;
  readonly availableReplicas?: number | undefined;
  readonly unavailableReplicas?: number | undefined;
  readonly terminatingReplicas?: number | undefined;
  readonly collisionCount?: number | undefined;
  readonly conditions?: readonly ObjectCondition[] | undefined;
}
