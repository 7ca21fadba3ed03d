import type { ApiObject } from '@karpenter-ts/kubernetes';

export { STORAGE_CLASSES } from '@karpenter-ts/kubernetes';

export interface StorageClass extends ApiObject {
  readonly provisioner: string;
  readonly reclaimPolicy?: string;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
  }[];
}
