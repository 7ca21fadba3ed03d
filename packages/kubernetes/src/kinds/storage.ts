import type { ResourceList } from '../objects/resource-list.ts';
import type { ApiObject } from '../objects/resource-type.ts';
import type { LabelSelectorSpec } from '../selectors/label-selector.ts';
import type { NodeSelector } from './node-selector.ts';

/** A v1 PersistentVolumeClaim. */
export interface PersistentVolumeClaim extends ApiObject {
  readonly spec: {
    /** Set once the claim is bound. */
    readonly volumeName?: string | undefined;
    readonly storageClassName?: string | undefined;
    readonly volumeAttributesClassName?: string | undefined;
    readonly volumeMode?: string | undefined;
    readonly accessModes?: readonly string[] | undefined;
    readonly selector?: LabelSelectorSpec | undefined;
    readonly resources?: { readonly requests?: ResourceList | undefined } | undefined;
  };
  readonly status?:
    | {
        readonly phase?: string | undefined;
        readonly accessModes?: readonly string[] | undefined;
        readonly capacity?: ResourceList | undefined;
      }
    | undefined;
}

/** A v1 PersistentVolume. */
export interface PersistentVolume extends ApiObject {
  readonly spec: {
    readonly capacity?: ResourceList | undefined;
    readonly accessModes?: readonly string[] | undefined;
    readonly volumeMode?: string | undefined;
    readonly storageClassName?: string | undefined;
    readonly volumeAttributesClassName?: string | undefined;
    readonly persistentVolumeReclaimPolicy?: string | undefined;
    readonly claimRef?: ObjectReference | undefined;
    readonly nodeAffinity?: { readonly required?: NodeSelector | undefined } | undefined;
    readonly csi?: { readonly driver: string; readonly volumeHandle?: string | undefined } | undefined;
    readonly awsElasticBlockStore?: object | undefined;
    readonly local?: object | undefined;
    readonly hostPath?: object | undefined;
  };
  readonly status?: { readonly phase?: string | undefined; readonly message?: string | undefined } | undefined;
}

/** The claim a volume is bound to, or kept for. Without a uid: for whoever comes by that name. */
export interface ObjectReference {
  readonly kind?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** A storage.k8s.io/v1 StorageClass. */
export interface StorageClass extends ApiObject {
  readonly provisioner: string;
  readonly reclaimPolicy?: string | undefined;
  readonly volumeBindingMode?: string | undefined;
  readonly allowedTopologies?: readonly TopologySelectorTerm[] | undefined;
}

export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[] | undefined;
}

/** A storage.k8s.io/v1 CSINode. */
export interface CsiNode extends ApiObject {
  readonly spec: {
    /** Null where a client written in Go stored none. */
    readonly drivers?:
      | readonly {
          readonly name: string;
          readonly allocatable?: { readonly count?: number | undefined } | undefined;
        }[]
      | null
      | undefined;
  };
}

/** A storage.k8s.io/v1 VolumeAttachment. */
export interface VolumeAttachment extends ApiObject {
  readonly spec: {
    readonly attacher: string;
    readonly nodeName: string;
    readonly source: { readonly persistentVolumeName?: string | undefined };
  };
}
