import type { ApiObject } from '../objects/resource-type.ts';

/** A v1 ReplicationController. */
export interface ReplicationController extends ApiObject {
  readonly spec: { readonly selector?: Readonly<Record<string, string>> | undefined };
}
