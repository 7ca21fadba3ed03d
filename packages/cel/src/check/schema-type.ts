import type { StructuralSchema } from '@karpenter-ts/kubernetes';
import { escapeProperty, RESERVED_WORDS, unescapeProperty } from '../escaping.ts';
import { embedded } from '../resource-schema.ts';
import { type CelType, DYN, listOf, mapOf, parseType, STRING } from './cel-type.ts';

const types = new WeakMap<StructuralSchema, CelType | 'hidden'>();

/**
 * The type rules see for a schema, or undefined where they do not see it: untyped data that is preserved, and lists
 * and maps of such. `name` tells two object types apart. Fields are looked at only when a rule names them.
 */
export function schemaType(schema: StructuralSchema, name = 'object'): CelType | undefined {
  let type = types.get(schema);
  if (type === undefined) {
    type = convert(embedded(schema), name) ?? 'hidden';
    types.set(schema, type);
  }
  return type === 'hidden' ? undefined : type;
}

function convert(schema: StructuralSchema, name: string): CelType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return DYN;
  switch (schema.type) {
    case 'array': {
      const items = schema.items && schemaType(schema.items, `${name}.@idx`);
      return items && listOf(items);
    }
    case 'object':
      return objectType(schema, name);
    case 'string':
      return parseType(STRING_FORMATS.get(schema.format ?? '') ?? 'string');
    case 'boolean':
      return parseType('bool');
    case 'number':
      return parseType('double');
    case 'integer':
      return parseType('int');
    case undefined:
      return undefined;
    default:
      return schema.type satisfies never;
  }
}

const STRING_FORMATS: ReadonlyMap<string, string> = new Map([
  ['byte', 'bytes'],
  ['duration', 'duration'],
  ['date', 'timestamp'],
  ['date-time', 'timestamp'],
]);

function objectType(schema: StructuralSchema, name: string): CelType | undefined {
  if (typeof schema.additionalProperties === 'object') {
    const values = schemaType(schema.additionalProperties, `${name}.@elem`);
    return values && mapOf(STRING, values);
  }
  return { kind: 'struct', name, params: [], field: (field) => fieldType(schema, name, field) };
}

/** By its escaped name; a reserved word may also stand for itself. */
function fieldType(schema: StructuralSchema, name: string, field: string): CelType | undefined {
  const property = RESERVED_WORDS.has(field) ? field : unescapeProperty(field);
  if (property === undefined || (property !== field && escapeProperty(property) !== field)) return undefined;
  const found = schema.properties !== undefined && Object.hasOwn(schema.properties, property);
  return found ? schemaType(schema.properties[property]!, `${name}.${field}`) : undefined;
}
