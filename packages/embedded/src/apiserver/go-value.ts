import { type Json, LargeInteger } from '@karpenter-ts/kubernetes';
import { isJsonArray, isJsonObject } from './json-value.ts';

/** A decoded JSON value as Go's `%v` prints it: `map[image:x ports:[map[containerPort:80]]]`. */
export function formatGoValue(value: Json): string {
  if (value === null) return '<nil>';
  if (isJsonArray(value)) return `[${value.map(formatGoValue).join(' ')}]`;
  if (!isJsonObject(value)) return String(value).replace(/e([+-])(\d)$/, 'e$10$2');
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${formatGoValue(value[key] ?? null)}`).join(' ')}]`;
}

/** The Go type a JSON value is decoded into, as the server names it in its errors. */
export function goTypeOf(value: Json): string {
  if (value === null) return '%!s(<nil>)';
  if (isJsonArray(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  if (value instanceof LargeInteger) return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
