import type { JsonObject } from '@karpenter-ts/kubernetes';
import type { Problem } from './field-errors.ts';
import type { KubeObject } from './object.ts';
import type { ServedResource } from './resources.ts';
import type { Entry } from './storage/entry.ts';

/** A body that could be read. */
export interface DecodedBody {
  readonly object: KubeObject;
  /** What strict decoding complains of, `unknown field "spec.foo"`; the object is without it. */
  readonly complaints: readonly string[];
}

/** What would be stored, and all that speaks against it. */
export interface Examined {
  readonly object: KubeObject;
  readonly problems: readonly Problem[];
}

/** What admission may look up. */
export interface ObjectLookup {
  /** An object's entry, for who needs no more than its labels and fields. */
  entry(storage: string, key: string): Entry | undefined;
  /** An object by the place it is stored in, such as `/pods` or `storage.k8s.io/storageclasses`. */
  find(storage: string, key: string): KubeObject | undefined;
  /** All objects stored there, or those of a namespace. */
  list(storage: string, namespace?: string): readonly KubeObject[];
}

/** What tells the resources of the server apart, once requests, storage and metadata are dealt with. */
export interface Strategy {
  readonly resource: ServedResource;
  readonly traits: Traits;
  /** How refusals name the kind: not always as the resource is named. */
  readonly errorKind: { readonly group: string; readonly kind: string };
  /** Where the objects are kept. Two resources may show the same ones. */
  readonly storage: string;
  /** The fields a selector may name, beside name and namespace, with the paths of their values as stored. */
  readonly selectable: ReadonlyMap<string, string>;

  /**
   * Reads a body as this kind. Parts of it that are the very parts of a stored object are taken as they are. Throws an
   * ApiError when the body cannot be read.
   */
  decode(body: JsonObject, stored?: KubeObject): DecodedBody;
  /** What admission plugins make of an object before it is examined. Throws an ApiError when they refuse it. */
  admit(object: KubeObject, old: KubeObject | undefined, lookup: ObjectLookup): KubeObject;
  create(object: KubeObject): Examined;
  update(object: KubeObject, old: KubeObject): Examined;
  /** Of what is sent to the status subresource, only the status and some metadata count. */
  updateStatus(object: KubeObject, old: KubeObject): Examined;
  /** The values at these paths of an object as stored. */
  fieldsOf(stored: KubeObject): Readonly<Record<string, string>> | undefined;
  /** For how long a deleted object stays while others clean up; undefined for kinds that go at once. */
  graceSeconds(object: KubeObject, asked: number | undefined): number | undefined;
  /** What changes in an object that is deleted for the first time. Throws an ApiError when it may not be. */
  prepareDelete(object: KubeObject, now: string): KubeObject;
  /** Whether nothing holds a deleted object back any more. */
  isFinal(object: KubeObject): boolean;
  /** Whether something beside its finalizers does; until it ends, deleting the object again changes nothing. */
  isHeld(object: KubeObject): boolean;
  /** Absent when objects are stored as they are shown. */
  readonly conversion?: Conversion | undefined;
}

/** Between the form a resource shows and the one that is stored. */
export interface Conversion {
  fromStorage(object: KubeObject): KubeObject;
  toStorage(object: KubeObject): KubeObject;
}

/** The small differences between resources. All are off unless said. */
export interface Traits {
  /** PUT creates what is not there. */
  readonly createsOnUpdate?: boolean;
  /** PUT must name the version it replaces. */
  readonly needsVersion?: boolean;
  /** DELETE answers with the object instead of a Status. */
  readonly returnsDeleted?: boolean;
  /** A deletion shows in nothing but its time: no grace period, no new generation. */
  readonly bareDeletion?: boolean;
  /** What is owned stays when nobody says otherwise; or nobody ever looks for it. */
  readonly dependents?: 'orphaned' | 'ignored';
  /** The items of a list carry their kind and version, as those of custom resources do. */
  readonly typedItems?: boolean;
  /** Objects vanish this long after their last write, as events do. */
  readonly keepFor?: number;
}
