import type { ApiObject, ResourceType } from '@karpenter-ts/runtime';
import type { ObjectCondition } from './condition.ts';

export const NAMESPACES: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};

export interface Namespace extends ApiObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly ObjectCondition[] };
}
