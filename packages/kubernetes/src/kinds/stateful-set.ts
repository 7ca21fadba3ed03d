import type { ApiObject } from '../objects/resource-type.ts';
import type { LabelSelectorSpec } from '../selectors/label-selector.ts';
import type { PersistentVolumeClaim } from './storage.ts';
import type { PodTemplate } from './pod.ts';

export interface StatefulSet extends ApiObject {
  readonly spec: {
    readonly replicas: number;
    readonly serviceName?: string | undefined;
    readonly podManagementPolicy?: string | undefined;
    readonly minReadySeconds?: number | undefined;
    readonly revisionHistoryLimit?: number | undefined;
    readonly ordinals?: { readonly start?: number | undefined } | undefined;
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
    readonly updateStrategy: {
      readonly type: string;
      readonly rollingUpdate?: { readonly partition?: number | undefined } | undefined;
    };
    readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[] | undefined;
    readonly persistentVolumeClaimRetentionPolicy?: RetentionPolicy | undefined;
  };
  readonly status?: StatefulSetStatus | undefined;
}

/** Whether claims go with the set, and with pods that scaling takes away. */
export interface RetentionPolicy {
  readonly whenDeleted?: 'Retain' | 'Delete' | undefined;
  readonly whenScaled?: 'Retain' | 'Delete' | undefined;
}

export interface StatefulSetStatus {
  readonly observedGeneration?: number | undefined;
  readonly replicas: number;
  readonly readyReplicas?: number | undefined;
  readonly availableReplicas?: number | undefined;
  readonly currentReplicas?: number | undefined;
  readonly updatedReplicas?: number | undefined;
  readonly currentRevision?: string | undefined;
  readonly updateRevision?: string | undefined;
  readonly collisionCount?: number | undefined;
}
