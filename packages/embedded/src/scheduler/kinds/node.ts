import type { ApiObject, ResourceType } from '@karpenter-ts/runtime';
import type { ResourceList } from './pod.ts';

export const NODES: ResourceType = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };

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
