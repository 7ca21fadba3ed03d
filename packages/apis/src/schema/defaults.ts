import { isJsonArray, isJsonObject, type Json, type StructuralSchema, valueSchemaOf } from './structural.ts';

/**
 * The value with every missing property that has a default filled in, also inside defaults. A `null` where the schema
 * forbids it counts as missing. Nothing is changed in place; parts without defaults are shared with the input.
 */
export function applyDefaults(value: Json, schema: StructuralSchema): Json {
  if (isJsonArray(value)) return mapItems(value, schema);
  if (!isJsonObject(value)) return value;
  const out: Record<string, Json | undefined> = { ...value };
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default !== undefined && out[name] === undefined) out[name] = property.default;
  }
  for (const [name, member] of Object.entries(out)) {
    const property = schema.properties?.[name] ?? valueSchemaOf(schema);
    if (member === undefined || property === undefined) continue;
    out[name] = applyDefaults(orDefault(member, property), property);
  }
  return out;
}

/** Drops `null` members that the schema neither allows nor defaults, as the server does before it defaults. */
export function dropForbiddenNulls(value: Json, schema: StructuralSchema): Json {
  if (isJsonArray(value)) return schema.items ? value.map((item) => dropForbiddenNulls(item, schema.items!)) : value;
  if (!isJsonObject(value)) return value;
  const out: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value)) {
    const property = schema.properties?.[name] ?? valueSchemaOf(schema);
    if (member === undefined) continue;
    if (property === undefined) out[name] = member;
    else if (!isForbiddenNull(member, property) || property.default !== undefined)
      out[name] = dropForbiddenNulls(member, property);
  }
  return out;
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
