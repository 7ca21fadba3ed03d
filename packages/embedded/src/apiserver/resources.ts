import type { PrinterColumn } from '@karpenter-ts/apis';
import type { StructuralSchema } from '@karpenter-ts/kubernetes';

/** What can be asked of a resource, in the words of discovery. */
export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** A part of a resource with its own path, such as `pods/eviction`. */
export interface Subresource {
  readonly name: string;
  /** What is read from and written to it: the resource's own kind, or another such as `autoscaling/v1 Scale`. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly Verb[];
}

/** One version of one resource as the server offers it: what discovery, OpenAPI and tables are made from. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly subresources: readonly Subresource[];
  /** Of custom resources. The columns of built-in kinds are code: they are more than paths. */
  readonly columns: readonly PrinterColumn[];
  /** Of the whole object, `apiVersion`, `kind` and `metadata` left out. */
  readonly schema: StructuralSchema;
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `deployments.apps`, or `pods` for the core group: how messages name a resource. */
export function qualifiedName({ group, plural }: Pick<ServedResource, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}
