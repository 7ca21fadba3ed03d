import type { ApiObject } from '@karpenter-ts/runtime';

export { STORAGE_CLASSES } from '@karpenter-ts/runtime/kinds';

export interface StorageClass extends ApiObject {
  readonly provisioner: string;
  readonly reclaimPolicy?: string;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
  }[];
}
