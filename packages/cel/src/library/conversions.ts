import { checkedInt, checkedTimestamp, checkedUint } from '../runtime/arithmetic.ts';
import { Duration } from '../runtime/duration.ts';
import { findDouble, formatDouble } from '../runtime/number-text.ts';
import { findTimestamp, Timestamp } from '../runtime/timestamp.ts';
import { CelError, type CelResult, type CelValue, typeNameOf, Uint } from '../runtime/value.ts';
import { parseInt64 } from '@karpenter-ts/kubernetes';
import { global, type Overload } from './overload.ts';

const identity = (value: CelValue): CelValue => value;

/** The functions named like types. */
export const conversions: readonly Overload[] = [
  global('bool(bool): bool', identity),
  global('bool(string): bool', stringToBool),
  global('bytes(bytes): bytes', identity),
  global('bytes(string): bytes', (text: string) => new TextEncoder().encode(text)),
  global('double(double): double', identity),
  global('double(int): double', (value: bigint) => Number(value)),
  global('double(string): double', (text: string) => findDouble(text) ?? noConversion(text, 'double')),
  global('double(uint): double', ({ value }: Uint) => Number(value)),
  global('duration(duration): duration', identity),
  global('duration(int): duration', (value: bigint) => noConversion(value, 'google.protobuf.Duration')),
  global(
    'duration(string): duration',
    (text: string) => Duration.find(text) ?? noConversion(text, 'google.protobuf.Duration'),
  ),
  global('dyn(A): dyn', identity),
  global('int(int): int', identity),
  global('int(double): int', doubleToInt),
  global('int(duration): int', ({ nanos }: Duration) => nanos),
  global('int(string): int', stringToInt),
  global('int(timestamp): int', ({ seconds }: Timestamp) => seconds),
  global('int(uint): int', ({ value }: Uint) => checkedInt(value)),
  global('string(string): string', identity),
  global('string(bool): string', String),
  global('string(bytes): string', bytesToString),
  global('string(double): string', formatDouble),
  global('string(duration): string', String),
  global('string(int): string', String),
  global('string(timestamp): string', String),
  global('string(uint): string', ({ value }: Uint) => String(value)),
  global('timestamp(timestamp): timestamp', identity),
  global('timestamp(int): timestamp', (seconds: bigint) => checkedTimestamp(new Timestamp(seconds * 1_000_000_000n))),
  global('timestamp(string): timestamp', stringToTimestamp),
  global('uint(uint): uint', identity),
  global('uint(double): uint', doubleToUint),
  global('uint(int): uint', checkedUint),
  global('uint(string): uint', stringToUint),
];

function noConversion(from: CelValue, to: string): CelError {
  return new CelError(`type conversion error from '${typeNameOf(from)}' to '${to}'`);
}

const BOOLS: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false])),
};

function stringToBool(text: string): CelResult {
  return Object.hasOwn(BOOLS, text) ? BOOLS[text]! : noConversion(text, 'bool');
}

function stringToInt(text: string): CelResult {
  const value = parseInt64(text);
  return typeof value === 'bigint' ? value : noConversion(text, 'int');
}

function stringToUint(text: string): CelResult {
  const value = /^\d+$/.test(text) && text.length <= 20 ? checkedUint(BigInt(text)) : undefined;
  return value instanceof Uint ? value : noConversion(text, 'uint');
}

function stringToTimestamp(text: string): CelResult {
  const time = findTimestamp(text);
  return time === undefined ? noConversion(text, 'google.protobuf.Timestamp') : checkedTimestamp(time);
}

/** Both bounds are excluded, since as doubles they are beyond what an int can hold, or might have been. */
function doubleToInt(value: number): CelResult {
  const fits = value > -(2 ** 63) && value < 2 ** 63;
  return fits ? BigInt(Math.trunc(value)) : new CelError('integer overflow');
}

function doubleToUint(value: number): CelResult {
  const fits = value >= 0 && value < 2 ** 64;
  return fits ? new Uint(BigInt(Math.trunc(value))) : new CelError('unsigned integer overflow');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function bytesToString(bytes: Uint8Array): CelResult {
  try {
    return utf8.decode(bytes);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}
