import type { ApiObject } from '../objects/resource-type.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import type { LabelSelectorSpec } from '../selectors/label-selector.ts';
import type { PodTemplate } from './pod.ts';

export interface DaemonSet extends ApiObject {
  readonly spec: {
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
    readonly minReadySeconds?: number | undefined;
    readonly revisionHistoryLimit?: number | undefined;
    readonly updateStrategy: {
      readonly type: string;
      readonly rollingUpdate?:
        | { readonly maxSurge?: IntOrPercent | undefined; readonly maxUnavailable?: IntOrPercent | undefined }
        | undefined;
    };
  };
  readonly status?: DaemonSetStatus | undefined;
}

export interface DaemonSetStatus {
  readonly currentNumberScheduled: number;
  readonly numberMisscheduled: number;
  readonly desiredNumberScheduled: number;
  readonly numberReady: number;
  readonly observedGeneration?: number | undefined;
  readonly updatedNumberScheduled?: number | undefined;
  readonly numberAvailable?: number | undefined;
  readonly numberUnavailable?: number | undefined;
  readonly collisionCount?: number | undefined;
}
