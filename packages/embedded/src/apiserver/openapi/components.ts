import type { JsonObject, StructuralSchema } from '@karpenter-ts/kubernetes';
import { findBuiltin, goTypeOf } from '../kinds/builtin.ts';
import { type GoStruct, type GoType, goStruct } from '../kinds/go-types.ts';
import { findPatchStrategy } from '../patch/patch-strategy.ts';
import type { ServedResource } from '../resources.ts';
import { findDescription, OBJECT_DESCRIPTIONS } from './descriptions.ts';
import { isRequired } from './required-fields.ts';

/** The schemas of the kinds, and of all that they refer to, by name. */
export function componentsOf(resources: readonly ServedResource[]): JsonObject {
  const components = new Map<string, JsonObject>();
  for (const resource of resources) {
    const { group, version, kind, plural } = resource;
    const isBuiltin = findBuiltin(group, version, plural) !== undefined;
    const name = isBuiltin ? addStruct(goStruct(goTypeOf(resource)), components) : addCustom(resource, components);
    components.set(name, { ...components.get(name), 'x-kubernetes-group-version-kind': [{ group, kind, version }] });
  }
  return Object.fromEntries(components);
}

type Components = Map<string, JsonObject>;

const OBJECT_META = goStruct('meta.ObjectMeta');

/** `karpenter.sh/v1 NodePool` is `sh.karpenter.v1.NodePool`. */
function addCustom({ group, version, kind, schema }: ServedResource, components: Components): string {
  const name = [...group.split('.').toReversed(), version, kind].join('.');
  const properties: Readonly<Record<string, StructuralSchema>> = schema.properties ?? {};
  components.set(name, {
    type: 'object',
    ...(schema as JsonObject),
    properties: {
      apiVersion: { description: OBJECT_DESCRIPTIONS['apiVersion'], type: 'string' },
      kind: { description: OBJECT_DESCRIPTIONS['kind'], type: 'string' },
      metadata: {
        description: OBJECT_DESCRIPTIONS['metadata'],
        allOf: [reference(addStruct(OBJECT_META, components))],
      },
      ...(properties as JsonObject),
    },
  });
  return name;
}

function addStruct(struct: GoStruct, components: Components): string {
  const name = componentName(struct.name);
  if (components.has(name)) return name;
  components.set(name, {}); // it may refer to itself
  const fields = [...struct.fields];
  const required = fields.filter(([field, info]) => isRequired(struct, field, info)).map(([field]) => field);
  components.set(name, {
    description: findDescription(struct),
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      fields.map(([field, { type }]) => [field, fieldSchema(struct, field, typeSchema(type, components))]),
    ),
  });
  return name;
}

/** What stands beside a reference is ignored by readers of OpenAPI; within `allOf` it is not. */
function fieldSchema(struct: GoStruct, field: string, schema: JsonObject): JsonObject {
  const patch = findPatchStrategy(struct, field);
  return {
    description: findDescription(struct, field),
    ...('$ref' in schema ? { allOf: [schema] } : schema),
    ...(patch && { 'x-kubernetes-patch-strategy': patch.strategy }),
    ...(patch?.key && { 'x-kubernetes-patch-merge-key': patch.key }),
  };
}

const SCALARS: Readonly<Record<string, JsonObject>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  float64: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};

const TIME: JsonObject = { type: 'string', format: 'date-time' };

/** Types that write themselves. */
const OPAQUE: Readonly<Record<string, JsonObject>> = {
  'intstr.IntOrString': { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  'meta.MicroTime': TIME,
  'meta.Time': TIME,
  'resource.Quantity': {
    description: 'A number with a unit: `500m` is a half, `1Gi` is 1073741824.',
    oneOf: [{ type: 'string' }, { type: 'number' }],
  },
};

const ANYTHING: JsonObject = { type: 'object' };

function typeSchema(type: GoType, components: Components): JsonObject {
  switch (type.form) {
    case 'scalar':
      return SCALARS[type.scalar]!;
    case 'pointer':
      return typeSchema(type.to, components);
    case 'list':
      return { type: 'array', items: typeSchema(type.items, components) };
    case 'map':
      return { type: 'object', additionalProperties: typeSchema(type.values, components) };
    case 'struct':
      return reference(addStruct(type, components));
    case 'opaque': {
      const name = componentName(type.name);
      components.set(name, OPAQUE[type.name] ?? ANYTHING);
      return reference(name);
    }
    default:
      return type satisfies never;
  }
}

const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** Where Go keeps the packages whose types are not of an API group. */
const PACKAGES: Readonly<Record<string, string>> = {
  apiextensions: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  intstr: 'io.k8s.apimachinery.pkg.util.intstr',
  meta: 'io.k8s.apimachinery.pkg.apis.meta.v1',
  resource: 'io.k8s.apimachinery.pkg.api.resource',
  runtime: 'io.k8s.apimachinery.pkg.runtime',
};

/** `core.Pod` is `io.k8s.api.core.v1.Pod`: kubectl shows the last part. */
function componentName(name: string): string {
  const [group = '', type = ''] = name.split('.');
  return `${PACKAGES[group] ?? `io.k8s.api.${group}.v1`}.${type}`;
}
