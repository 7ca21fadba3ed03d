import type { ObjectMeta } from '@karpenter-ts/kubernetes';
import type { NodeSelector } from './pod.ts';

/** What planning reads of a v1 PersistentVolumeClaim. */
export interface PersistentVolumeClaim {
  readonly metadata: ObjectMeta;
  readonly spec: {
    /** Set once the claim is bound. */
    readonly volumeName?: string | undefined;
    readonly storageClassName?: string | undefined;
  };
}

/** What planning reads of a v1 PersistentVolume. */
export interface PersistentVolume {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly csi?: { readonly driver: string } | undefined;
    readonly awsElasticBlockStore?: object | undefined;
    readonly local?: object | undefined;
    readonly hostPath?: object | undefined;
    readonly nodeAffinity?: { readonly required?: NodeSelector | undefined } | undefined;
  };
}

/** What planning reads of a storage.k8s.io/v1 StorageClass. */
export interface StorageClass {
  readonly metadata: ObjectMeta;
  readonly provisioner: string;
  readonly allowedTopologies?: readonly TopologySelectorTerm[] | undefined;
}

export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[] | undefined;
}
