import type { PrinterColumn, Resource } from './resource.ts';
import type { JsonObject, StructuralSchema } from '@karpenter-ts/kubernetes';

/** The members every object has. Kubernetes fills in what they mean; a structural schema must still name them. */
const OBJECT_PROPERTIES: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: { description: 'Version of the API this object is written in.', type: 'string' },
  kind: { description: 'Kind of this object.', type: 'string' },
  metadata: { type: 'object' },
};

/** The CustomResourceDefinition of a kind: one version, served and stored, no conversion. */
export function customResourceDefinition(resource: Resource): JsonObject {
  const { group, version, kind, plural, shortNames, categories, scope } = resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        categories: [...categories],
        kind,
        listKind: `${kind}List`,
        plural,
        ...(shortNames && { shortNames: [...shortNames] }),
        singular: kind.toLowerCase(),
      },
      scope,
      versions: [
        {
          ...(resource.columns.length > 0 && { additionalPrinterColumns: resource.columns.map(printerColumn) }),
          name: version,
          schema: { openAPIV3Schema: wholeSchema(resource.schema) },
          served: true,
          storage: true,
          subresources: { status: {}, ...(resource.scale && { scale: { ...resource.scale } }) },
        },
      ],
    },
  };
}

function printerColumn(column: PrinterColumn): JsonObject {
  const { wide, ...rest } = column;
  return { ...rest, ...(wide && { priority: 1 }) };
}

function wholeSchema(schema: StructuralSchema): JsonObject {
  const whole = { ...schema, properties: { ...OBJECT_PROPERTIES, ...schema.properties } };
  return whole as unknown as JsonObject; // a schema is JSON by construction, only its interface says more
}
