import type { ApiObject } from '@karpenter-ts/kubernetes';
import type { ObjectCondition } from './condition.ts';

export { NAMESPACES } from '@karpenter-ts/kubernetes';

export interface Namespace extends ApiObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly ObjectCondition[] };
}
