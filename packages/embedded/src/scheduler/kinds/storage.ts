import type { ApiObject, LabelSelectorSpec } from '@karpenter-ts/kubernetes';
import type { NodeSelector, ResourceList } from './pod.ts';

export {
  CSI_NODES,
  PERSISTENT_VOLUME_CLAIMS as CLAIMS,
  PERSISTENT_VOLUMES as VOLUMES,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
} from '@karpenter-ts/kubernetes';

/** On a claim: the node a volume is to be made for. Whoever makes volumes takes it off again when it cannot. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** On a claim: the volume it names has agreed. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** On a volume: its claim was chosen by a controller, so that unbinding may take it away again. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
/** How classes were named before there was a field for it; it still wins over the field. */
export const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export interface Claim extends ApiObject {
  readonly spec: {
    readonly volumeName?: string;
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly volumeMode?: string;
    readonly accessModes?: readonly string[];
    readonly selector?: LabelSelectorSpec;
    readonly resources?: { readonly requests?: ResourceList };
  };
  readonly status?: { readonly phase?: string };
}

export interface Volume extends ApiObject {
  readonly spec: {
    readonly capacity?: ResourceList;
    readonly accessModes?: readonly string[];
    readonly volumeMode?: string;
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly claimRef?: ClaimRef;
    readonly nodeAffinity?: { readonly required?: NodeSelector };
    readonly csi?: { readonly driver: string; readonly volumeHandle: string };
  };
  readonly status?: { readonly phase?: string };
}

/** Whom a volume is bound to, or kept for. Without a uid: for whoever comes by that name. */
export interface ClaimRef {
  readonly kind?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export interface StorageClass extends ApiObject {
  readonly provisioner: string;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
  }[];
}

export interface CsiNode extends ApiObject {
  readonly spec: {
    readonly drivers?: readonly { readonly name: string; readonly allocatable?: { readonly count?: number } }[] | null;
  };
}

export interface VolumeAttachment extends ApiObject {
  readonly spec: {
    readonly attacher: string;
    readonly nodeName: string;
    readonly source: { readonly persistentVolumeName?: string };
  };
}
