import { LargeInteger } from './large-integer.ts';
import { memberOf } from './member.ts';

/** A JSON value as the API server decodes it. */
export type Json = null | boolean | number | LargeInteger | string | readonly Json[] | JsonObject;

/** A JSON object; a missing key and an `undefined` value mean the same. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** True for what JSON calls an object: neither a list nor null. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LargeInteger);
}

/** True for what JSON calls an array. (`Array.isArray` alone does not narrow readonly arrays.) */
export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Equality of JSON values; the order of keys does not matter, that of lists does. */
export function isSameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (a instanceof LargeInteger) return b instanceof LargeInteger && a.digits === b.digits;
  if (isJsonArray(a)) return isJsonArray(b) && a.length === b.length && a.every((item, i) => isSameJson(item, b[i]));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a).filter((key) => a[key] !== undefined);
  const size = Object.keys(b).filter((key) => b[key] !== undefined).length;
  return keys.length === size && keys.every((key) => isSameJson(a[key], memberOf(b, key)));
}
