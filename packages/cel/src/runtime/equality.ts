import { Duration } from './duration.ts';
import { Timestamp } from './timestamp.ts';
import {
  CelError,
  type CelResult,
  type CelValue,
  NO_SUCH_OVERLOAD,
  Optional,
  Structured,
  TypeValue,
  Uint,
} from './value.ts';

/** CEL's `==`. Values of different types are unequal, except that numbers compare as numbers. */
export function equal(a: CelResult, b: CelResult): boolean | CelError {
  if (a instanceof CelError) return a;
  if (b instanceof CelError) return b;
  if (a === null || b === null) return a === b;
  if (typeof a === 'string' || typeof a === 'boolean') return a === b;
  if (isNumeric(a)) return isNumeric(b) && compareNumbers(a, b) === 0;
  if (a instanceof Structured) return a.equals(b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.typeName === b.typeName;
  return b instanceof Optional && equalOptionals(a, b);
}

function equalOptionals(a: Optional, b: Optional): boolean | CelError {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equal(a.value, b.value);
}

/** True for values of the types `<` is for. */
export function hasOrder(value: CelValue): boolean {
  if (isNumeric(value) || typeof value === 'string' || typeof value === 'boolean') return true;
  return value instanceof Uint8Array || value instanceof Timestamp || value instanceof Duration;
}

/** Negative, zero or positive; an error where there is no order: NaN, types that do not compare. */
export function compare(a: CelValue, b: CelValue): number | CelError {
  if (isNumeric(a)) return isNumeric(b) ? (compareNumbers(a, b) ?? NOT_ORDERED) : NO_SUCH_OVERLOAD;
  if (typeof a === 'string') return typeof b === 'string' ? compareStrings(a, b) : NO_SUCH_OVERLOAD;
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : NO_SUCH_OVERLOAD;
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? compareBytes(a, b) : NO_SUCH_OVERLOAD;
  if (a instanceof Timestamp) return b instanceof Timestamp ? order(a.nanos, b.nanos) : NO_SUCH_OVERLOAD;
  if (a instanceof Duration) return b instanceof Duration ? order(a.nanos, b.nanos) : NO_SUCH_OVERLOAD;
  return NO_SUCH_OVERLOAD;
}

const NOT_ORDERED = new CelError('NaN values cannot be ordered');

type Numeric = bigint | number | Uint;

function isNumeric(value: CelValue): value is Numeric {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

/** Undefined when either is NaN. An integer is rounded to a double before it is compared with one. */
function compareNumbers(a: Numeric, b: Numeric): number | undefined {
  const left = a instanceof Uint ? a.value : a;
  const right = b instanceof Uint ? b.value : b;
  if (typeof left === 'bigint' && typeof right === 'bigint') return order(left, right);
  const [x, y] = [Number(left), Number(right)];
  return Number.isNaN(x) || Number.isNaN(y) ? undefined : order(x, y);
}

function order<T extends bigint | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By code point, which is the order of the UTF-8 bytes Go compares. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    if (a[i] !== b[i]) return order(sortable(a.charCodeAt(i)), sortable(b.charCodeAt(i)));
  }
  return order(a.length, b.length);
}

/** UTF-16 puts the surrogates, which stand for the highest code points, below U+E000. */
function sortable(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    if (a[i] !== b[i]) return a[i]! - b[i]!;
  }
  return a.length - b.length;
}
