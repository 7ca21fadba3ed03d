import type { ApiObject, IntOrPercent, LabelSelectorSpec } from '@karpenter-ts/kubernetes';
import type { PodTemplate } from './pod.ts';

export { DAEMON_SETS } from '@karpenter-ts/kubernetes';

export interface DaemonSet extends ApiObject {
  readonly spec: {
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly updateStrategy: {
      readonly type: string;
      readonly rollingUpdate?: { readonly maxSurge?: IntOrPercent; readonly maxUnavailable?: IntOrPercent };
    };
  };
  readonly status?: DaemonSetStatus;
}

export interface DaemonSetStatus {
  readonly currentNumberScheduled: number;
  readonly numberMisscheduled: number;
  readonly desiredNumberScheduled: number;
  readonly numberReady: number;
  readonly observedGeneration?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly collisionCount?: number;
}
