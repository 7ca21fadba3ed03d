import type { ApiObject } from '@karpenter-ts/kubernetes';
import type { ResourceList } from './pod.ts';

export { NODES } from '@karpenter-ts/kubernetes';

/** A node, as far as a scheduler reads it. */
export interface Node extends ApiObject {
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly Taint[] };
  readonly status?: { readonly capacity?: ResourceList; readonly allocatable?: ResourceList };
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}
