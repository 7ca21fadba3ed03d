// metadata: Kubernetes decodes and checks it for every kind alike, whatever the CRD says.
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  generateNameProblems,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  labelValueProblems,
  LargeInteger,
  qualifiedNameProblems,
  type StructuralSchema,
} from '@karpenter-ts/kubernetes';
import { type FieldError, fieldError } from './field-error.ts';

const text: StructuralSchema = { type: 'string' };
const whole: StructuralSchema = { type: 'integer', format: 'int64' };
const texts: StructuralSchema = { type: 'object', additionalProperties: text };
const flag: StructuralSchema = { type: 'boolean' };

/** metav1.ObjectMeta. What it does not name is refused as an unknown field. */
export const OBJECT_META: StructuralSchema = {
  type: 'object',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: whole,
    creationTimestamp: text,
    deletionTimestamp: text,
    deletionGracePeriodSeconds: whole,
    labels: texts,
    annotations: texts,
    finalizers: { type: 'array', items: text },
    ownerReferences: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          apiVersion: text,
          kind: text,
          name: text,
          uid: text,
          controller: flag,
          blockOwnerDeletion: flag,
        },
      },
    },
    managedFields: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  },
};

/** Go's words for a value it cannot store: the field of ObjectMeta, and the type it wanted. */
export function findUndecodable(meta: Json): string | undefined {
  if (meta === null) return undefined; // Go reads null as the zero value
  if (!isJsonObject(meta)) return `json: cannot unmarshal ${goType(meta)} into Go value of type v1.ObjectMeta`;
  for (const [name, value] of Object.entries(meta)) {
    const schema = OBJECT_META.properties![name];
    const bad = value === undefined || schema === undefined ? undefined : findMismatch(value, schema);
    if (bad)
      return `json: cannot unmarshal ${goType(bad.value)} into Go struct field ObjectMeta.${name} of type ${bad.wanted}`;
  }
  return undefined;
}

interface Mismatch {
  readonly value: Json;
  readonly wanted: string;
}

function findMismatch(value: Json, schema: StructuralSchema): Mismatch | undefined {
  if (value === null) return undefined;
  if (schema.type === 'object') {
    if (!isJsonObject(value)) return { value, wanted: schema === texts ? 'map[string]string' : 'v1.OwnerReference' };
    if (schema !== texts) return undefined;
    const bad = Object.values(value).find((member) => member !== null && typeof member !== 'string');
    return bad === undefined ? undefined : { value: bad, wanted: 'string' };
  }
  if (schema.type === 'array') {
    if (!isJsonArray(value)) return { value, wanted: schema.items === text ? '[]string' : '[]v1.OwnerReference' };
    for (const item of value) {
      const bad = findMismatch(item, schema.items!);
      if (bad) return bad;
    }
    return undefined;
  }
  const isRight = schema.type === 'integer' ? isInteger(value) : typeof value === schema.type;
  return isRight ? undefined : { value, wanted: schema.type === 'integer' ? 'int64' : (schema.type ?? '') };
}

function isInteger(value: Json): boolean {
  return Number.isInteger(value) || value instanceof LargeInteger;
}

function goType(value: Json): string {
  if (value instanceof LargeInteger) return 'number';
  if (isJsonArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

const ANNOTATIONS_LIMIT_BYTES = 256 * 1024;

/** The checks of names, labels, annotations, owners and finalizers that precede those of the schema. */
export function validateObjectMeta(meta: JsonObject): readonly FieldError[] {
  return [
    ...checkNames(meta),
    ...checkNamespace(meta),
    ...checkLabels(entriesOf(meta['labels'])),
    ...checkAnnotations(entriesOf(meta['annotations'])),
    ...checkOwners(meta['ownerReferences']),
    ...checkFinalizers(meta['finalizers']),
  ];
}

function checkNames(meta: JsonObject): readonly FieldError[] {
  const { name, generateName } = meta;
  const errors: FieldError[] = [];
  if (typeof generateName === 'string' && generateName !== '') {
    errors.push(...invalid('generateName', generateName, generateNameProblems(generateName)));
    if (name === undefined || name === '') return errors; // the server makes up a name that fits
  }
  if (typeof name !== 'string' || name === '') {
    const detail = 'name or generateName is required';
    return [...errors, fieldError('FieldValueRequired', { path: ['metadata', 'name'], detail })];
  }
  return [...errors, ...invalid('name', name, dns1123SubdomainProblems(name))];
}

function checkNamespace({ namespace }: JsonObject): readonly FieldError[] {
  if (typeof namespace !== 'string' || namespace === '') return [];
  return invalid('namespace', namespace, dns1123LabelProblems(namespace));
}

/** The server names the map, not the entry, and shows the offending key or value. */
function checkLabels(labels: readonly (readonly [string, string])[]): readonly FieldError[] {
  return labels.flatMap(([key, value]) => [
    ...invalid('labels', key, qualifiedNameProblems(key)),
    ...invalid('labels', value, labelValueProblems(value)),
  ]);
}

function checkAnnotations(annotations: readonly (readonly [string, string])[]): readonly FieldError[] {
  const errors = annotations.flatMap(([key]) => invalid('annotations', key, qualifiedNameProblems(key.toLowerCase())));
  const bytes = annotations.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (bytes <= ANNOTATIONS_LIMIT_BYTES) return errors;
  const detail = `may not be more than ${ANNOTATIONS_LIMIT_BYTES} bytes`;
  return [...errors, fieldError('FieldValueTooLong', { path: ['metadata', 'annotations'], detail })];
}

function checkOwners(owners: Json | undefined): readonly FieldError[] {
  if (!isJsonArray(owners)) return [];
  return owners.filter(isJsonObject).flatMap((owner) => {
    const empty = ['apiVersion', 'kind', 'name', 'uid'].filter((field) => !owner[field]);
    return empty.map((field) => {
      const detail = field === 'apiVersion' ? 'version must not be empty' : 'must not be empty';
      return fieldError('FieldValueInvalid', { path: ['metadata', 'ownerReferences', field], value: '', detail });
    });
  });
}

function checkFinalizers(finalizers: Json | undefined): readonly FieldError[] {
  if (!isJsonArray(finalizers)) return [];
  const names = finalizers.filter((name) => typeof name === 'string');
  return names.flatMap((name) => invalid('finalizers', name, qualifiedNameProblems(name)));
}

function invalid(field: string, value: string, problems: readonly string[]): readonly FieldError[] {
  return problems.map((detail) => fieldError('FieldValueInvalid', { path: ['metadata', field], value, detail }));
}

function entriesOf(map: Json | undefined): readonly (readonly [string, string])[] {
  if (!isJsonObject(map)) return [];
  return Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}
