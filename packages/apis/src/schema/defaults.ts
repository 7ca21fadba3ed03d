import { isJsonArray, isJsonObject, type Json, memberSchemaOf, type StructuralSchema } from '@karpenter-ts/kubernetes';

/**
 * The value with every missing property that has a default filled in, also inside defaults. A `null` where the schema
 * forbids it counts as missing. Nothing is changed in place; parts without defaults are shared with the input.
 */
export function applyDefaults(value: Json, schema: StructuralSchema): Json {
  if (isJsonArray(value)) return mapItems(value, schema);
  if (!isJsonObject(value)) return value;
  const members = new Map(Object.entries(value));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default !== undefined && members.get(name) === undefined) members.set(name, property.default);
  }
  for (const [name, member] of members) {
    const property = memberSchemaOf(schema, name);
    if (member === undefined || property === undefined) continue;
    members.set(name, applyDefaults(orDefault(member, property), property));
  }
  return Object.fromEntries(members);
}

/** Drops `null` members that the schema neither allows nor defaults, as the server does before it defaults. */
export function dropForbiddenNulls(value: Json, schema: StructuralSchema): Json {
  if (isJsonArray(value)) return schema.items ? value.map((item) => dropForbiddenNulls(item, schema.items!)) : value;
  if (!isJsonObject(value)) return value;
  const kept: [string, Json][] = [];
  for (const [name, member] of Object.entries(value)) {
    const property = memberSchemaOf(schema, name);
    if (member === undefined) continue;
    if (property === undefined) kept.push([name, member]);
    else if (!isForbiddenNull(member, property) || property.default !== undefined)
      kept.push([name, dropForbiddenNulls(member, property)]);
  }
  return Object.fromEntries(kept);
}

function mapItems(value: readonly Json[], schema: StructuralSchema): Json {
  const items = schema.items;
  return items ? value.map((item) => applyDefaults(orDefault(item, items), items)) : value;
}

function orDefault(value: Json, schema: StructuralSchema): Json {
  return isForbiddenNull(value, schema) && schema.default !== undefined ? schema.default : value;
}

function isForbiddenNull(value: Json | undefined, schema: StructuralSchema): boolean {
  return value === null && schema.nullable !== true;
}
