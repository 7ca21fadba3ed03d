import type { ApiObject } from '@karpenter-ts/runtime';
import type { ObjectCondition } from './condition.ts';

export { NAMESPACES } from '@karpenter-ts/runtime/kinds';

export interface Namespace extends ApiObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly ObjectCondition[] };
}
