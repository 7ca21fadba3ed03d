import type { StructuralSchema } from '@karpenter-ts/kubernetes';
import { type GoStruct, type GoType, goStruct } from './go-types.ts';

const ANYTHING: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const SCALARS: Readonly<Record<string, StructuralSchema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  float64: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};

const OPAQUE: Readonly<Record<string, StructuralSchema>> = {
  'resource.Quantity': { 'x-kubernetes-int-or-string': true },
  'intstr.IntOrString': { 'x-kubernetes-int-or-string': true },
  'meta.Time': { type: 'string', format: 'date-time' },
  'meta.MicroTime': { type: 'string', format: 'date-time' },
};

const schemas = new Map<string, StructuralSchema>();

/** The schema of a built-in kind. Types that occur in several places are one object there, and in all kinds. */
export function schemaOf(name: string): StructuralSchema {
  const { properties, ...rest } = structSchema(goStruct(name));
  const { apiVersion: _, kind: __, metadata: ___, ...own } = properties ?? {};
  return { ...rest, properties: own };
}

function typeSchema(type: GoType): StructuralSchema {
  switch (type.form) {
    case 'scalar':
      return SCALARS[type.scalar]!;
    case 'opaque':
      return OPAQUE[type.name] ?? ANYTHING;
    case 'pointer':
      return typeSchema(type.to);
    case 'list':
      return { type: 'array', items: typeSchema(type.items) };
    case 'map':
      return { type: 'object', additionalProperties: typeSchema(type.values) };
    default:
      return structSchema(type);
  }
}

function structSchema(type: GoStruct): StructuralSchema {
  if (type.name === 'apiextensions.JSONSchemaProps') return ANYTHING; // it refers to itself
  let schema = schemas.get(type.name);
  if (schema === undefined) {
    const properties: Record<string, StructuralSchema> = {};
    for (const [name, field] of type.fields) properties[name] = typeSchema(field.type);
    schema = { type: 'object', properties };
    schemas.set(type.name, schema);
  }
  return schema;
}
