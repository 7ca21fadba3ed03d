import type { ApiObject } from '../objects/resource-type.ts';
import type { ObjectCondition } from './condition.ts';

/** A v1 Namespace. */
export interface Namespace extends ApiObject {
  readonly spec?: { readonly finalizers?: readonly string[] | undefined } | undefined;
  readonly status?:
    | { readonly phase?: string | undefined; readonly conditions?: readonly ObjectCondition[] | undefined }
    | undefined;
}
