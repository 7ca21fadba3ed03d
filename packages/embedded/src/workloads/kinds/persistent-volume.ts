import type { ApiObject } from '@karpenter-ts/kubernetes';
import type { NodeSelector } from './pod.ts';

export { PERSISTENT_VOLUMES } from '@karpenter-ts/kubernetes';

export interface PersistentVolume extends ApiObject {
  readonly spec: {
    readonly capacity?: Readonly<Record<string, string>>;
    readonly accessModes?: readonly string[];
    readonly volumeMode?: string;
    readonly storageClassName?: string;
    readonly persistentVolumeReclaimPolicy?: string;
    readonly claimRef?: ClaimRef;
    readonly nodeAffinity?: { readonly required?: NodeSelector };
    readonly csi?: { readonly driver: string; readonly volumeHandle: string };
  };
  readonly status?: { readonly phase?: string; readonly message?: string };
}

/** The claim a volume is bound to, or kept for. Without a uid: for whoever comes by that name. */
export interface ClaimRef {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}
