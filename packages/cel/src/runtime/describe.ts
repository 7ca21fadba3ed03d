import { CelList } from './list.ts';
import { CelMap } from './map.ts';
import { formatDouble } from './number-text.ts';
import { CelError, type CelResult, Optional, TypeValue, Uint } from './value.ts';

/** A value as cel-go's error messages show it: Go's `%v`. */
export function describe(value: CelResult): string {
  if (value instanceof CelError) return value.message;
  if (typeof value === 'number') return formatDouble(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return `[${value.join(' ')}]`;
  if (value instanceof TypeValue) return value.typeName;
  if (value instanceof Optional)
    return value.value === undefined ? 'optional.none()' : `optional(${describe(value.value)})`;
  if (value instanceof CelList) return `[${Array.from(value, describe).join(', ')}]`;
  if (value instanceof CelMap) {
    return `{${Array.from(value.keys(), (key) => `${describe(key)}: ${describe(value.find(key) ?? null)}`).join(', ')}}`;
  }
  return value === null ? 'NULL_VALUE' : String(value);
}
