import type { ObjectMeta } from './object-meta.ts';

/** A kind as the API server addresses it: `group` is '' for the core group, `plural` is the segment of the path. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** The least every object of the API is: plain JSON as the server wrote it, unknown fields included. */
export interface ApiObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** Which object of a kind; `namespace` is absent for cluster-scoped kinds. */
export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** `namespace/name`, or `name` for cluster-scoped objects: the key of caches and queues. */
export function objectKey(ref: ObjectRef): string {
  return ref.namespace ? `${ref.namespace}/${ref.name}` : ref.name;
}

/** What `objectKey` was made from. */
export function refOfKey(key: string): ObjectRef {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** `deployments.apps`, or `pods` for the core group: how messages name a kind. */
export function resourceNameOf(type: ResourceType): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

/** Where a kind, one of its objects or a subresource lives. Without a namespace: all of them. */
export function resourcePath(
  type: ResourceType,
  ref: { readonly namespace?: string | undefined; readonly name?: string | undefined } = {},
  subresource?: string,
): string {
  let path = `${type.group === '' ? '/api' : '/apis'}/${apiVersionOf(type)}`;
  if (type.namespaced && ref.namespace) path += `/namespaces/${encodeURIComponent(ref.namespace)}`;
  path += `/${type.plural}`;
  if (ref.name !== undefined) path += `/${encodeURIComponent(ref.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}
