import { type FieldPath, textOf } from './field-error.ts';
import { isJsonArray, isJsonObject, type Json, memberSchemaOf, type StructuralSchema } from '@karpenter-ts/kubernetes';

/** A property the schema does not know, at the place the server names it. */
interface UnknownField {
  readonly path: FieldPath;
  readonly field: string;
}

export interface Pruned {
  readonly value: Json;
  /** Sorted by text, as the server lists them. */
  readonly unknown: readonly UnknownField[];
}

/** Every object has these, whether or not its schema says so. */
const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

const NOTHING_KNOWN: StructuralSchema = {};

/** Removes what the schema does not specify and says what that was. `schema` is that of a whole resource. */
export function prune(value: Json, schema: StructuralSchema): Pruned {
  const unknown: UnknownField[] = [];
  const root = { ...schema, 'x-kubernetes-embedded-resource': true };
  const kept = walk(value, root, { path: [], keep: preserves(root) }, unknown);
  unknown.sort((a, b) => (a.field < b.field ? -1 : 1));
  return { value: kept, unknown };
}

interface Place {
  readonly path: FieldPath;
  /** True below `x-kubernetes-preserve-unknown-fields`: what is unknown stays. */
  readonly keep: boolean;
}

function walk(value: Json, schema: StructuralSchema, place: Place, unknown: UnknownField[]): Json {
  if (isJsonArray(value)) return value.map((item, index) => walkItem(item, index, schema, place, unknown));
  if (!isJsonObject(value)) return value;
  const kept: [string, Json][] = []; // not an object yet: to assign a member called `__proto__` does something else
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const path = [...place.path, name];
    const known = memberSchemaOf(schema, name);
    if (schema['x-kubernetes-embedded-resource'] && META_FIELDS.has(name)) kept.push([name, member]);
    else if (known !== undefined) kept.push([name, walk(member, known, { path, keep: preserves(known) }, unknown)]);
    else if (place.keep || schema.additionalProperties === true) kept.push([name, member]);
    else unknown.push({ path, field: textOf(path) });
  }
  return Object.fromEntries(kept);
}

function walkItem(item: Json, index: number, schema: StructuralSchema, place: Place, unknown: UnknownField[]): Json {
  const items = schema.items ?? NOTHING_KNOWN;
  return walk(item, items, { path: [...place.path, index], keep: place.keep || preserves(items) }, unknown);
}

function preserves(schema: StructuralSchema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}
