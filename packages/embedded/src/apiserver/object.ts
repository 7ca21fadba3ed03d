import type { Json, JsonObject } from '@karpenter-ts/kubernetes';
import { isJsonObject } from './json-value.ts';

/** The metadata the server itself reads and writes. */
export type Metadata = {
  readonly name: string;
  readonly generateName?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | undefined;
  readonly creationTimestamp?: string | null | undefined;
  readonly deletionTimestamp?: string | null | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly Owner[] | undefined;
};

/** An entry of `metadata.ownerReferences`. */
export type Owner = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
};

/** A decoded object of any kind. Objects are values: a change makes a new one. */
export interface KubeObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

/** The same object with other metadata; what is set to undefined is gone. */
export function withMetadata(object: KubeObject, change: Partial<Metadata>): KubeObject {
  return { ...object, metadata: mergeMetadata(object.metadata, change) };
}

/** Metadata with changes; what is set to undefined is gone, so that equal metadata compares as equal. */
export function mergeMetadata(metadata: Metadata, change: Partial<Metadata>): Metadata {
  const all: Readonly<Record<string, Json | undefined>> = { ...metadata, ...change };
  const merged: Record<string, Json> = {}; // not by `delete`: what has lost a member is a slow object ever after
  for (const key in all) if (all[key] !== undefined) merged[key] = all[key];
  return merged as Metadata;
}

/** A member that is an object; an empty one when it is missing or something else. */
export function objectAt(object: JsonObject, ...path: readonly string[]): JsonObject {
  let at: Json | undefined = object;
  for (const key of path) at = isJsonObject(at) ? at[key] : undefined;
  return isJsonObject(at) ? at : {};
}

/** A member that is a list of objects; an empty one when it is missing or something else. */
export function listAt(object: JsonObject, ...path: readonly string[]): readonly JsonObject[] {
  const key = path.at(-1)!;
  const list = objectAt(object, ...path.slice(0, -1))[key];
  return Array.isArray(list) ? (list as readonly Json[]).filter(isJsonObject) : [];
}

/** A scalar as Go prints it with `%v`; '' for nothing. */
export function scalarText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A member that is text; '' when it is missing or something else. */
export function textAt(object: JsonObject, ...path: readonly string[]): string {
  const key = path.at(-1)!;
  const text = objectAt(object, ...path.slice(0, -1))[key];
  return typeof text === 'string' ? text : '';
}
