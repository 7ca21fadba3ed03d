// What an API server does to an object before it stores it, as one pure function: decode, prune, default, validate.
import type { Resource } from './resource.ts';
import { applyDefaults, dropForbiddenNulls } from './defaults.ts';
import { type FieldError, type FieldPath, fieldError, renderFieldError } from './field-error.ts';
import { validateListTypes } from './list-types.ts';
import { findUndecodable, OBJECT_META, validateObjectMeta } from './object-meta.ts';
import { prune } from './prune.ts';
import { hasRules, validateRules } from './rules.ts';
import { validateReplicas } from './scale.ts';
import { isJsonObject, type JsonObject, type StructuralSchema } from '@karpenter-ts/kubernetes';
import { validateSchema } from './validate.ts';

/** Something that keeps the object from being read at all; the server answers 400. */
export interface DecodingProblem {
  readonly path: FieldPath;
  readonly message: string;
}

/** All that is wrong with an object, and what the server would store if nothing were. */
export interface Examination {
  readonly decoding: readonly DecodingProblem[];
  readonly errors: readonly FieldError[];
  readonly object: JsonObject;
}

export type Admission =
  | { readonly verdict: 'admitted'; readonly object: JsonObject }
  | {
      readonly verdict: 'refused';
      readonly code: 400 | 422;
      readonly message: string;
      readonly causes: readonly FieldError[];
    };

/**
 * Examines an object for `create`, or for `update` when `old`, the stored object, is given. Unknown fields are reported
 * as strict decoding does, and the rest is examined without them, so that a person sees everything at once.
 */
export function examine(raw: JsonObject, resource: Resource, old?: JsonObject): Examination {
  const schema = resource.schema;
  const undecodable = raw['metadata'] === undefined ? undefined : findUndecodable(raw['metadata']);
  if (undecodable) {
    return { decoding: [{ path: ['metadata'], message: undecodable }], errors: [], object: raw };
  }
  const { object, decoding } = decode(raw, schema);
  const prepared = withStatusOf(resource.scope === 'Cluster' ? withoutNamespace(object) : object, old);
  return { decoding, errors: validate(prepared, resource, old), object: applyDefaults(prepared, schema) as JsonObject };
}

/** The verdict as the server gives it: what cannot be decoded is not validated. */
export function admit(raw: JsonObject, resource: Resource, old?: JsonObject): Admission {
  const { decoding, errors, object } = examine(raw, resource, old);
  if (decoding.length > 0)
    return { verdict: 'refused', code: 400, message: decodingText(resource, decoding), causes: [] };
  if (errors.length > 0) {
    return { verdict: 'refused', code: 422, message: invalidText(resource, object, errors), causes: errors };
  }
  return { verdict: 'admitted', object };
}

/** The verdict on a write to the status subresource: of what is sent, only the status counts. */
export function admitStatus(raw: JsonObject, resource: Resource, old: JsonObject): Admission {
  const { decoding, object } = decode(raw, resource.schema);
  if (decoding.length > 0)
    return { verdict: 'refused', code: 400, message: decodingText(resource, decoding), causes: [] };
  const next = { ...old, status: object['status'] };
  const errors = validateStatus(next, resource, old);
  if (errors.length === 0) return { verdict: 'admitted', object: next };
  return { verdict: 'refused', code: 422, message: invalidText(resource, old, errors), causes: errors };
}

/** The server checks the status by itself, so its texts leave out the `status.` that the field has. */
function validateStatus(object: JsonObject, resource: Resource, old: JsonObject): readonly FieldError[] {
  const schema = resource.schema.properties?.['status'];
  if (!schema || object['status'] === undefined) return [];
  const errors = [
    ...validateSchema(object['status'], schema, old['status']).map(belowStatus),
    ...validateReplicas(object, resource.scale?.statusReplicasPath),
    ...validateListTypes(object, resource.schema),
  ];
  return [...errors, ...checkRules(object, resource.schema, old, errors)];
}

function belowStatus(error: FieldError): FieldError {
  if (error.path.length === 0) return { ...error, field: 'status', path: ['status'] };
  return { ...error, field: `status.${error.field}`, path: ['status', ...error.path] };
}

function decode(raw: JsonObject, schema: StructuralSchema): Pick<Examination, 'decoding' | 'object'> {
  const meta = prune(dropForbiddenNulls(raw['metadata'] ?? {}, OBJECT_META), OBJECT_META);
  const body = prune(raw, schema);
  const unknown = [...meta.unknown.map(({ path, field }) => below('metadata', path, field)), ...body.unknown];
  const named = { ...(body.value as JsonObject), metadata: meta.value };
  const object = applyDefaults(dropForbiddenNulls(named, schema), schema);
  return {
    decoding: unknown.map(({ path, field }) => ({ path, message: `unknown field "${field}"` })),
    object: object as JsonObject,
  };
}

function below(parent: string, path: FieldPath, field: string): { readonly path: FieldPath; readonly field: string } {
  return { path: [parent, ...path], field: `${parent}.${field}` };
}

/** The server clears a namespace that a cluster-wide object was sent with. */
function withoutNamespace(object: JsonObject): JsonObject {
  const { namespace: _, ...metadata } = object['metadata'] as JsonObject;
  return { ...object, metadata };
}

/** Status belongs to its subresource: a create drops it, an update keeps the stored one. */
function withStatusOf(object: JsonObject, old: JsonObject | undefined): JsonObject {
  const { status: _, ...rest } = object;
  return old?.['status'] === undefined ? rest : { ...rest, status: old['status'] };
}

function validate(object: JsonObject, resource: Resource, old: JsonObject | undefined): readonly FieldError[] {
  const schema = resource.schema;
  const meta = object['metadata'];
  const errors = [
    ...validateObjectMeta(isJsonObject(meta) ? meta : {}),
    ...validateSchema(object, schema, old),
    ...validateReplicas(object, resource.scale?.specReplicasPath),
    ...validateReplicas(object, resource.scale?.statusReplicasPath),
    ...(old !== undefined && validateListTypes(old, schema).length > 0 ? [] : validateListTypes(object, schema)),
  ];
  return [...errors, ...checkRules(object, schema, old, errors)];
}

/** Rules may rely on types, required fields and bounds, so the server does not run them on objects that lack those. */
function checkRules(
  object: JsonObject,
  schema: StructuralSchema,
  old: JsonObject | undefined,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (!hasRules(schema)) return [];
  return errors.some(({ reason }) => BLOCKING.has(reason)) ? [RULES_NOT_CHECKED] : validateRules(object, schema, old);
}

const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** The server's own note that there may be more errors than it lists. */
export const RULES_NOT_CHECKED = fieldError('FieldValueInvalid', {
  path: [],
  value: null,
  detail:
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
});

function decodingText(resource: Resource, problems: readonly DecodingProblem[]): string {
  const strict = problems.every(({ message }) => message.startsWith('unknown field'));
  const text = problems.map(({ message }) => message).join(', ');
  const { kind, version } = resource;
  return `${kind} in version "${version}" cannot be handled as a ${kind}: ${strict ? 'strict decoding error: ' : ''}${text}`;
}

function invalidText(resource: Resource, object: JsonObject, errors: readonly FieldError[]): string {
  const name = isJsonObject(object['metadata']) ? object['metadata']['name'] : '';
  const texts = [...new Set(errors.map(renderFieldError))];
  const list = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
  return `${resource.kind}.${resource.group} "${typeof name === 'string' ? name : ''}" is invalid: ${list}`;
}
