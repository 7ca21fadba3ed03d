import type { StructuralSchema } from '@karpenter-ts/kubernetes';

const STRING: StructuralSchema = { type: 'string' };
const METADATA: StructuralSchema = { type: 'object', properties: { name: STRING, generateName: STRING } };

const resources = new WeakMap<StructuralSchema, StructuralSchema>();

/**
 * The schema of a whole object: `apiVersion`, `kind`, `metadata.name` and `metadata.generateName` are in it whether it
 * lists them or not. Rules at the root of a kind are compiled and run with this; for embedded resources it is done.
 */
export function asResource(schema: StructuralSchema): StructuralSchema {
  let resource = resources.get(schema);
  if (resource === undefined) {
    resource = hasMeta(schema) ? schema : withMeta(schema);
    resources.set(schema, resource);
  }
  return resource;
}

function hasMeta({ properties }: StructuralSchema): boolean {
  const metadata = properties?.metadata;
  const strings = [
    properties?.kind,
    properties?.apiVersion,
    metadata?.properties?.name,
    metadata?.properties?.generateName,
  ];
  return metadata?.type === 'object' && strings.every((schema) => schema?.type === 'string');
}

function withMeta(schema: StructuralSchema): StructuralSchema {
  return { ...schema, properties: { ...schema.properties, kind: STRING, apiVersion: STRING, metadata: METADATA } };
}

/** The schema values of a place are read with: as a resource where the place embeds one. */
export function embedded(schema: StructuralSchema): StructuralSchema {
  return schema['x-kubernetes-embedded-resource'] === true ? asResource(schema) : schema;
}
