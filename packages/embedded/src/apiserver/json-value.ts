import { type Json, type JsonObject, LargeInteger, memberOf } from '@karpenter-ts/kubernetes';

/** True for what JSON calls an object: neither a list nor null. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LargeInteger);
}

/** True for what JSON calls an array. (`Array.isArray` alone does not narrow readonly arrays.) */
export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** True for what JSON calls a number, be it one that JavaScript has no number for. */
export function isNumber(value: Json | undefined): value is number | LargeInteger {
  return typeof value === 'number' || value instanceof LargeInteger;
}

/** Sets a member of its own, whatever it is called: an assignment to `__proto__` would do something else. */
export function setMember(object: { [key: string]: Json | undefined }, key: string, value: Json): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, ...PLAIN });
  else object[key] = value;
}

const PLAIN = { enumerable: true, writable: true, configurable: true };

/** The same value in objects and lists of its own. */
export function copyOf(value: Json): Json {
  if (isJsonArray(value)) return value.map(copyOf);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf(member ?? null)]));
}

/** Whether objects and lists are nested more often than that. */
export function isDeeperThan(value: Json, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((member) => member !== undefined && isDeeperThan(member, depth - 1));
}

/** The object without some of its members. */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** Without the members that are null, at any depth; elements of lists stay. */
export function withoutNulls(value: Json): Json {
  if (isJsonArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member ?? null)]));
}

/** A value as its JSON would tell it: without what is undefined. Where nothing is, it is the same value. */
export function asJson(value: Json): Json {
  if (isJsonArray(value)) return value.every((item) => asJson(item) === item) ? value : value.map(asJson);
  if (!isJsonObject(value)) return value ?? null;
  for (const key in value) {
    const member = value[key];
    if (member === undefined || asJson(member) !== member) return rebuilt(value);
  }
  return value;
}

function rebuilt(value: JsonObject): JsonObject {
  const members = Object.entries(value).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, asJson(member)]));
}

/** Equality of JSON values; the order of keys does not matter, that of lists does. */
export function isSameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (a instanceof LargeInteger) return b instanceof LargeInteger && a.digits === b.digits;
  if (isJsonArray(a)) return isJsonArray(b) && isSameList(a, b);
  return isJsonObject(a) && isJsonObject(b) && isSameObject(a, b);
}

function isSameList(a: readonly Json[], b: readonly Json[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!isSameJson(a[i], b[i])) return false;
  return true;
}

function isSameObject(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (!isSameJson(a[key], memberOf(b, key))) return false;
  return true;
}

/** JSON's word for the type of a value, as Go's decoder says it. */
export function jsonTypeOf(value: Json): 'null' | 'bool' | 'number' | 'string' | 'array' | 'object' {
  if (value === null) return 'null';
  if (isJsonArray(value)) return 'array';
  if (value instanceof LargeInteger) return 'number';
  return typeof value === 'boolean' ? 'bool' : (typeof value as 'number' | 'string' | 'object');
}
