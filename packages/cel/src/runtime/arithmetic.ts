import { Duration } from './duration.ts';
import { CelList } from './list.ts';
import { Timestamp } from './timestamp.ts';
import { CelError, type CelResult, type CelValue, NO_SUCH_OVERLOAD, Uint } from './value.ts';

// CEL's arithmetic, on operands that are no errors.

const INT_OVERFLOW = new CelError('integer overflow');
const UINT_OVERFLOW = new CelError('unsigned integer overflow');
const TIMESTAMP_OVERFLOW = new CelError('timestamp overflow');
const DIVISION_BY_ZERO = new CelError('division by zero');
const MODULUS_BY_ZERO = new CelError('modulus by zero');

/** `a + b`: also text, bytes, lists, durations and timestamps. */
export function add(a: CelValue, b: CelValue): CelResult {
  if (typeof a === 'string') return typeof b === 'string' ? a + b : NO_SUCH_OVERLOAD;
  if (a instanceof CelList) return b instanceof CelList ? a.add(b) : NO_SUCH_OVERLOAD;
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? concatenate(a, b) : NO_SUCH_OVERLOAD;
  if (a instanceof Duration && b instanceof Duration) return duration(a.nanos + b.nanos);
  if (a instanceof Duration && b instanceof Timestamp) return shift(b, a.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return shift(a, b.nanos);
  if (a instanceof Duration || a instanceof Timestamp) return NO_SUCH_OVERLOAD;
  return onNumbers('_+_', a, b, { ints: (x, y) => x + y, doubles: (x, y) => x + y });
}

/** `a - b`: also durations and timestamps. */
export function subtract(a: CelValue, b: CelValue): CelResult {
  if (a instanceof Duration && b instanceof Duration) return duration(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Timestamp) return duration(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return shift(a, -b.nanos);
  return onNumbers('_-_', a, b, { ints: (x, y) => x - y, doubles: (x, y) => x - y });
}

/** `a * b`. */
export function multiply(a: CelValue, b: CelValue): CelResult {
  return onNumbers('_*_', a, b, { ints: (x, y) => x * y, doubles: (x, y) => x * y });
}

/** `a / b`: integers are cut off towards zero. */
export function divide(a: CelValue, b: CelValue): CelResult {
  return onNumbers('_/_', a, b, { ints: (x, y) => (y === 0n ? DIVISION_BY_ZERO : x / y), doubles: (x, y) => x / y });
}

/** `a % b`: the sign is that of `a`; there is none for doubles. */
export function modulo(a: CelValue, b: CelValue): CelResult {
  // The smallest int has no remainder by −1 because Go's quotient, which it is computed with, overflows.
  const ints = (x: bigint, y: bigint) => (y === 0n ? MODULUS_BY_ZERO : y === -1n && !isInt(-x) ? INT_OVERFLOW : x % y);
  return typeof a === 'number' ? unsupported('_%_', a) : onNumbers('_%_', a, b, { ints, doubles: () => Number.NaN });
}

/** `-a`. */
export function negate(a: CelValue): CelResult {
  if (typeof a === 'bigint') return checkedInt(-a);
  if (typeof a === 'number') return -a;
  if (a instanceof Duration) return duration(-a.nanos);
  return typeof a === 'boolean' ? NO_SUCH_OVERLOAD : unsupported('-_', a);
}

/**
 * The error for an operator the left operand's type does not have at all. Types with methods of their own answer for
 * themselves in cel-go, without naming the operator.
 */
export function unsupported(operator: string, operand: CelValue): CelError {
  const answers = typeof operand === 'string' || operand instanceof Timestamp || operand instanceof Duration;
  return answers ? NO_SUCH_OVERLOAD : new CelError(`no such overload: ${operator}`);
}

interface Arithmetic {
  readonly ints: (a: bigint, b: bigint) => bigint | CelError;
  readonly doubles: (a: number, b: number) => number;
}

function onNumbers(operator: string, a: CelValue, b: CelValue, { ints, doubles }: Arithmetic): CelResult {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? checkedInt(ints(a, b)) : NO_SUCH_OVERLOAD;
  if (typeof a === 'number') return typeof b === 'number' ? doubles(a, b) : NO_SUCH_OVERLOAD;
  if (a instanceof Uint) return b instanceof Uint ? checkedUint(ints(a.value, b.value)) : NO_SUCH_OVERLOAD;
  return unsupported(operator, a);
}

const isInt = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/** The int, or the error for one that 64 bits cannot hold. */
export function checkedInt(value: bigint | CelError): bigint | CelError {
  return value instanceof CelError || isInt(value) ? value : INT_OVERFLOW;
}

/** The uint, or the error for one that 64 unsigned bits cannot hold. */
export function checkedUint(value: bigint | CelError): Uint | CelError {
  if (value instanceof CelError) return value;
  return BigInt.asUintN(64, value) === value ? new Uint(value) : UINT_OVERFLOW;
}

/** The timestamp, or the error for one outside of the years 1 … 9999. */
export function checkedTimestamp(value: Timestamp): Timestamp | CelError {
  return value.isInRange ? value : TIMESTAMP_OVERFLOW;
}

function duration(nanos: bigint): Duration | CelError {
  return isInt(nanos) ? new Duration(nanos) : INT_OVERFLOW;
}

function shift(time: Timestamp, nanos: bigint): CelResult {
  return checkedTimestamp(new Timestamp(time.nanos + nanos, time.offsetMinutes));
}

function concatenate(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
