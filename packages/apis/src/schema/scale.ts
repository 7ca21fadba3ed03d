import { type FieldError, fieldError } from './field-error.ts';
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  LargeInteger,
  memberOf,
} from '@karpenter-ts/kubernetes';

const MAX_INT32 = 2 ** 31 - 1;

/** The replica count of a scale subresource, checked apart from the schema, under the path the CRD gives it. */
export function validateReplicas(object: JsonObject, field: string | undefined): readonly FieldError[] {
  if (field === undefined) return [];
  const path = field.split('.').slice(1);
  const refuse = (value: Json, detail: string) => [fieldError('FieldValueInvalid', { path, field, value, detail })];
  let at: Json = object;
  for (const [depth, key] of path.entries()) {
    if (!isJsonObject(at)) return refuse(0, unreadable(path.slice(0, depth + 1), at, 'map[string]interface{}'));
    const below: Json | undefined = memberOf(at, key);
    if (below === undefined) return [];
    at = below;
  }
  const isInteger = at instanceof LargeInteger || (typeof at === 'number' && Number.isInteger(at));
  if (!isInteger) return refuse(0, unreadable(path, at, 'int64'));
  if (Number(at) < 0) return refuse(at, 'should be a non-negative integer');
  return Number(at) > MAX_INT32 ? refuse(at, `should be less than or equal to ${MAX_INT32}`) : [];
}

function unreadable(path: readonly string[], value: Json, wanted: string): string {
  return `.${path.join('.')} accessor error: ${goText(value)} is of the type ${goTypeName(value)}, expected ${wanted}`;
}

/** Go's `%v`. */
function goText(value: Json): string {
  if (value === null) return '<nil>';
  if (isJsonArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return `map[${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${key}:${goText(member!)}`)
    .join(' ')}]`;
}

/** Go's `%T` of a decoded JSON value. */
function goTypeName(value: Json): string {
  if (value === null) return '<nil>';
  if (isJsonArray(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (value instanceof LargeInteger) return 'int64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
