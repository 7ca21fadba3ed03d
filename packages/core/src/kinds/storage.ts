import type { ObjectMeta } from '@karpenter-ts/kubernetes';
import type {
  PersistentVolumeClaim as PlannedClaim,
  StorageClass as PlannedStorageClass,
} from '@karpenter-ts/scheduling';

/** What the controllers read of a v1 PersistentVolumeClaim; what planning reads is part of it. */
export type PersistentVolumeClaim = PlannedClaim & {
  readonly status?: { readonly phase?: string | undefined } | undefined;
};

/** What the controllers read of a storage.k8s.io/v1 StorageClass; what planning reads is part of it. */
export type StorageClass = PlannedStorageClass & { readonly volumeBindingMode?: string | undefined };

/** What the controllers read of a storage.k8s.io/v1 CSINode. */
export interface CsiNode {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly drivers: readonly {
      readonly name: string;
      readonly allocatable?: { readonly count?: number | undefined } | undefined;
    }[];
  };
}

/** What the controllers read of a storage.k8s.io/v1 VolumeAttachment. */
export interface VolumeAttachment {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly nodeName: string;
    readonly source: { readonly persistentVolumeName?: string | undefined };
  };
}
