import type { JsonObject } from '@karpenter-ts/kubernetes';
import type { Problem } from './field-errors.ts';
import type { KubeObject } from './object.ts';
import type { ServedResource } from './resources.ts';
import type { Entry } from './storage/entry.ts';

/** A decoded request body. */
export interface DecodedBody {
  readonly object: KubeObject;
  /** Warnings of strict decoding, such as `unknown field "spec.foo"`; the object is without these fields. */
  readonly complaints: readonly string[];
}

/** The object that would be stored, and its validation errors. */
export interface Examined {
  readonly object: KubeObject;
  readonly problems: readonly Problem[];
}

/** Read access to other objects, for admission. */
export interface ObjectLookup {
  /** An object's entry, if only its labels and fields are needed. */
  entry(storage: string, key: string): Entry | undefined;
  /** An object by its storage path, such as `/pods` or `storage.k8s.io/storageclasses`. */
  find(storage: string, key: string): KubeObject | undefined;
  /** All objects stored there, or those of a namespace. */
  list(storage: string, namespace?: string): readonly KubeObject[];
}

/** What is specific to a resource, besides requests, storage and metadata: a REST strategy in Kubernetes. */
export interface Strategy {
  readonly resource: ServedResource;
  readonly traits: Traits;
  /** How refusals name the kind: not always as the resource is named. */
  readonly errorKind: { readonly group: string; readonly kind: string };
  /** The storage path. Two resources may show the same objects. */
  readonly storage: string;
  /** The fields a selector may name, beside name and namespace, with the paths of their values as stored. */
  readonly selectable: ReadonlyMap<string, string>;

  /**
   * Decodes a body as this kind. Parts that are identical to those of a stored object are reused. Throws an ApiError if
   * the body cannot be decoded.
   */
  decode(body: JsonObject, stored?: KubeObject): DecodedBody;
  /** Runs the admission plugins. Throws an ApiError if one refuses the object. */
  admit(object: KubeObject, old: KubeObject | undefined, lookup: ObjectLookup): KubeObject;
  create(object: KubeObject): Examined;
  update(object: KubeObject, old: KubeObject): Examined;
  /** Updates the status subresource: only the status and some metadata are taken over. */
  updateStatus(object: KubeObject, old: KubeObject): Examined;
  /** The values at these paths of an object as stored. */
  fieldsOf(stored: KubeObject): Readonly<Record<string, string>> | undefined;
  /** The grace period of a deletion; undefined for kinds that are deleted at once. */
  graceSeconds(object: KubeObject, asked: number | undefined): number | undefined;
  /** What changes in an object that is deleted for the first time. Throws an ApiError when it may not be. */
  prepareDelete(object: KubeObject, now: string): KubeObject;
  /** Whether nothing keeps a deleted object any more. */
  isFinal(object: KubeObject): boolean;
  /** Whether something besides finalizers keeps it. Until that ends, deleting it again changes nothing. */
  isHeld(object: KubeObject): boolean;
  /** Undefined if objects are stored as they are shown. */
  readonly conversion?: Conversion | undefined;
}

/** Between the form a resource shows and the one that is stored. */
export interface Conversion {
  fromStorage(object: KubeObject): KubeObject;
  toStorage(object: KubeObject): KubeObject;
}

/** Small differences between resources. All are off by default. */
export interface Traits {
  /** PUT creates what is not there. */
  readonly createsOnUpdate?: boolean;
  /** PUT must name the version it replaces. */
  readonly needsVersion?: boolean;
  /** DELETE answers with the object instead of a Status. */
  readonly returnsDeleted?: boolean;
  /** A deletion only sets the deletion timestamp: no grace period, no new generation. */
  readonly bareDeletion?: boolean;
  /** The default propagation policy is Orphan, or dependents are never looked for. */
  readonly dependents?: 'orphaned' | 'ignored';
  /** The items of a list carry their kind and version, as those of custom resources do. */
  readonly typedItems?: boolean;
  /** Objects expire this long after their last write, as Events do. */
  readonly keepFor?: number;
}
