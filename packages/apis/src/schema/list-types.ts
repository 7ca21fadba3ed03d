import { type FieldError, type FieldPath, fieldError } from './field-error.ts';
import {
  goJson,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  memberOf,
  type StructuralSchema,
  valueSchemaOf,
} from '@karpenter-ts/kubernetes';

/** Members of a set that stand twice, and items of a map-like list that share their keys. */
export function validateListTypes(value: Json, schema: StructuralSchema): readonly FieldError[] {
  return walk(value, schema, { path: [], field: '' });
}

/** The item of the old list that is the same thing as this one: only lists keyed as maps can tell. */
export function findOldItem(item: Json, schema: StructuralSchema, old: Json | undefined): Json | undefined {
  if (schema['x-kubernetes-list-type'] !== 'map' || !isJsonArray(old)) return undefined;
  let index = indexes.get(old);
  if (index?.schema !== schema) {
    const items = old.map((candidate) => [goJson(keyOf(candidate, schema)), candidate] as const);
    index = { schema, items: new Map(items.toReversed()) }; // the first of equals counts
    indexes.set(old, index);
  }
  return index.items.get(goJson(keyOf(item, schema)));
}

/** Old lists by the keys of their items: to look through the list for each item would take quadratic time. */
const indexes = new WeakMap<readonly Json[], OldItems>();

interface OldItems {
  readonly schema: StructuralSchema;
  readonly items: ReadonlyMap<string, Json>;
}

/** Map keys are bracketed here, unlike in schema errors: `limits[cpu]`. */
interface Place {
  readonly path: FieldPath;
  readonly field: string;
}

function walk(value: Json, schema: StructuralSchema, place: Place): readonly FieldError[] {
  if (isJsonArray(value)) return walkList(value, schema, place);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const property = memberOf(schema.properties, name);
    const values = valueSchemaOf(schema);
    if (member === undefined) return [];
    if (property) return walk(member, property, child(place, name, place.field === '' ? name : `.${name}`));
    return values ? walk(member, values, child(place, name, `[${name}]`)) : [];
  });
}

function walkList(list: readonly Json[], schema: StructuralSchema, place: Place): readonly FieldError[] {
  const { items, 'x-kubernetes-list-type': kind } = schema;
  return [
    ...(kind === 'set' ? findRepeats(list, list, place) : []),
    ...(kind === 'map' ? checkMapList(list, schema, place) : []),
    ...(items ? list.flatMap((item, index) => walk(item, items, child(place, index, `[${index}]`))) : []),
  ];
}

function checkMapList(list: readonly Json[], schema: StructuralSchema, place: Place): readonly FieldError[] {
  const stranger = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (stranger >= 0) {
    const { path, field } = child(place, stranger, `[${stranger}]`);
    const detail = 'must be an object for an array of list-type map';
    return [fieldError('FieldValueInvalid', { path, field, value: list[stranger]!, detail })];
  }
  return findRepeats(
    list.map((item) => keyOf(item, schema)),
    list,
    place,
  );
}

/** Names the second of each group of equal keys, as the server does: the third and later ones are not repeated. */
function findRepeats(keys: readonly Json[], list: readonly Json[], place: Place): readonly FieldError[] {
  const seen = new Map<string, number>();
  const errors: FieldError[] = [];
  for (const index of list.keys()) {
    const key = goJson(keys[index]!);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times !== 2) continue;
    const { path, field } = child(place, index, `[${index}]`);
    errors.push(fieldError('FieldValueDuplicate', { path, field, value: keys[index]! }));
  }
  return errors;
}

function keyOf(item: Json, schema: StructuralSchema): JsonObject {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (!isJsonObject(item)) return {};
  return Object.fromEntries(keys.filter((key) => memberOf(item, key) !== undefined).map((key) => [key, item[key]]));
}

function child(place: Place, segment: string | number, text: string): Place {
  return { path: [...place.path, segment], field: place.field + text };
}
