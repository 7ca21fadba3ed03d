import type { ApiObject, LabelSelectorSpec } from '@karpenter-ts/kubernetes';
import type { PersistentVolumeClaim } from './persistent-volume-claim.ts';
import type { PodTemplate } from './pod.ts';

export { STATEFUL_SETS } from '@karpenter-ts/kubernetes';

export interface StatefulSet extends ApiObject {
  readonly spec: {
    readonly replicas: number;
    readonly serviceName?: string;
    readonly podManagementPolicy?: string;
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly ordinals?: { readonly start?: number };
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
    readonly updateStrategy: {
      readonly type: string;
      readonly rollingUpdate?: { readonly partition?: number };
    };
    readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[];
    readonly persistentVolumeClaimRetentionPolicy?: RetentionPolicy;
  };
  readonly status?: StatefulSetStatus;
}

/** Whether claims go with the set, and with pods that scaling takes away. */
export interface RetentionPolicy {
  readonly whenDeleted?: 'Retain' | 'Delete';
  readonly whenScaled?: 'Retain' | 'Delete';
}

export interface StatefulSetStatus {
  readonly observedGeneration?: number;
  readonly replicas: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: number;
}
