import { describe } from '../runtime/describe.ts';
import { Duration } from '../runtime/duration.ts';
import { ArrayList, CelList } from '../runtime/list.ts';
import { CelMap } from '../runtime/map.ts';
import { Timestamp } from '../runtime/timestamp.ts';
import { CelError, type CelResult, type CelValue, Optional, Uint } from '../runtime/value.ts';
import { global, member, type Overload } from './overload.ts';

const ZERO_TIME = -62_135_596_800_000_000_000n; // 0001-01-01T00:00:00Z, Go's zero time

/** Optional values. `or` and `orValue` are the evaluator's: they leave the right side alone unless it is needed. */
export const optionals: readonly Overload[] = [
  global('optional.of(V): optional(V)', (value: CelValue) => new Optional(value)),
  global('optional.ofNonZeroValue(V): optional(V)', (value: CelValue) =>
    isZero(value) ? Optional.NONE : new Optional(value),
  ),
  global('optional.none(): optional(V)', () => Optional.NONE),
  global('optional.unwrap(list(optional(V))): list(V)', unwrap),
  member('list(optional(V))', 'unwrapOpt(): list(V)', unwrap),
  member('optional(V)', 'value(): V', valueOf),
  member('optional(V)', 'hasValue(): bool', (optional: Optional) => optional.value !== undefined),
  member('optional(V)', 'or(optional(V)): optional(V)'),
  member('optional(V)', 'orValue(V): V'),
  member('list(V)', 'first(): optional(V)', (list: CelList) => elementAt(list, 0)),
  member('list(V)', 'last(): optional(V)', (list: CelList) => elementAt(list, list.size - 1)),
  global('_[?_](list(V), int): optional(V)'),
  global('_[?_](optional(list(V)), int): optional(V)'),
  global('_[?_](map(K, V), K): optional(V)'),
  global('_[?_](optional(map(K, V)), K): optional(V)'),
  global('_[_](optional(list(V)), int): optional(V)'),
  global('_[_](optional(map(K, V)), K): optional(V)'),
];

function valueOf({ value }: Optional): CelResult {
  return value === undefined ? new CelError('optional.none() dereference') : value;
}

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  return value instanceof Timestamp && value.nanos === ZERO_TIME;
}

function elementAt(list: CelList, index: number): CelResult {
  if (list.size === 0) return Optional.NONE;
  const element = list.at(index);
  return element instanceof CelError ? element : new Optional(element);
}

function unwrap(list: CelList): CelResult {
  const values: CelValue[] = [];
  for (const element of list) {
    if (!(element instanceof Optional)) return new CelError(`value ${describe(element)} is not optional`);
    if (element.value !== undefined) values.push(element.value);
  }
  return new ArrayList(values);
}
