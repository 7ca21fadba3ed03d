import { add, divide, modulo, multiply, negate, subtract, unsupported } from '../runtime/arithmetic.ts';
import { compare, hasOrder } from '../runtime/equality.ts';
import { CelList } from '../runtime/list.ts';
import { CelMap } from '../runtime/map.ts';
import { CelError, type CelResult, type CelValue, NO_SUCH_OVERLOAD, TypeValue, typeNameOf } from '../runtime/value.ts';
import { compileRe2, Re2Error } from '../re2.ts';
import { flatten, sort } from './lists.ts';
import { global, member, type Overload } from './overload.ts';

const NUMBERS = ['int', 'uint', 'double'];
const ORDERED = ['bool', 'string', 'bytes', 'timestamp', 'duration'];

/** CEL's operators, and the functions that look at the type of their argument themselves. */
export const operators: readonly Overload[] = [
  global('_?_:_(bool, A, A): A'),
  global('_&&_(bool, bool): bool'),
  global('_||_(bool, bool): bool'),
  global('!_(bool): bool'),
  global('@not_strictly_false(bool): bool'),
  global('_==_(A, A): bool'),
  global('_!=_(A, A): bool'),
  global('_+_(bytes, bytes): bytes'),
  global('_+_(double, double): double'),
  global('_+_(duration, duration): duration'),
  global('_+_(duration, timestamp): timestamp'),
  global('_+_(timestamp, duration): timestamp'),
  global('_+_(int, int): int'),
  global('_+_(list(A), list(A)): list(A)'),
  global('_+_(string, string): string'),
  global('_+_(uint, uint): uint'),
  global('_-_(double, double): double'),
  global('_-_(duration, duration): duration'),
  global('_-_(int, int): int'),
  global('_-_(timestamp, duration): timestamp'),
  global('_-_(timestamp, timestamp): duration'),
  global('_-_(uint, uint): uint'),
  ...['_*_', '_/_'].flatMap((name) => NUMBERS.map((type) => global(`${name}(${type}, ${type}): ${type}`))),
  ...['int', 'uint'].map((type) => global(`_%_(${type}, ${type}): ${type}`)),
  ...['double', 'int'].map((type) => global(`-_(${type}): ${type}`)),
  ...['_<_', '_<=_', '_>_', '_>=_'].flatMap((name) => [
    ...ORDERED.map((type) => global(`${name}(${type}, ${type}): bool`)),
    ...NUMBERS.flatMap((left) => NUMBERS.map((right) => global(`${name}(${left}, ${right}): bool`))),
  ]),
  global('_[_](list(A), int): A'),
  global('_[_](map(A, B), A): B'),
  global('@in(A, list(A)): bool'),
  global('@in(A, map(A, B)): bool'),
  ...['bytes', 'list(A)', 'map(A, B)', 'string'].flatMap((type) => [
    global(`size(${type}): int`),
    member(type, 'size(): int'),
  ]),
  global('type(A): type(A)'),
  member('string', 'contains(string): bool'),
  member('string', 'endsWith(string): bool'),
  member('string', 'startsWith(string): bool'),
  global('matches(string, string): bool'),
  member('string', 'matches(string): bool'),
];

/** What folds are made of; no rule can spell these names. */
export const foldSteps: readonly Overload[] = [
  global('@append(list(A), A): list(A)'),
  global('cel.@mapInsert(map(K, V), K, V): map(K, V)'),
  global('cel.@mapInsert(map(K, V), map(K, V)): map(K, V)'),
];

/** Functions that take values of any type and answer for the wrong ones in their own words. */
export const UNGUARDED: Readonly<Record<string, (...args: CelValue[]) => CelResult>> = {
  '_+_': (a, b) => add(a, b),
  '_-_': (a, b) => subtract(a, b),
  '_*_': (a, b) => multiply(a, b),
  '_/_': (a, b) => divide(a, b),
  '_%_': (a, b) => modulo(a, b),
  '-_': (a) => negate(a),
  '!_': (a) => (typeof a === 'boolean' ? !a : NO_SUCH_OVERLOAD),
  '_<_': (a, b) => ordered('_<_', a, b, (order) => order < 0),
  '_<=_': (a, b) => ordered('_<=_', a, b, (order) => order <= 0),
  '_>_': (a, b) => ordered('_>_', a, b, (order) => order > 0),
  '_>=_': (a, b) => ordered('_>=_', a, b, (order) => order >= 0),
  '@in': (value, range) => isIn(value, range),
  size: (value) => size(value),
  type: (value) => new TypeValue(typeNameOf(value)),
  contains: (text, part) => onStrings(text, part, (a, b) => a.includes(b)),
  endsWith: (text, part) => onStrings(text, part, (a, b) => a.endsWith(b)),
  startsWith: (text, part) => onStrings(text, part, (a, b) => a.startsWith(b)),
  matches: (text, pattern) =>
    typeof text === 'string' ? onStrings(text, pattern, matches) : unsupported('matches', text),
  flatten: (list, depth) => flatten(list, depth),
  sort: (list) => sort(list),
  '@sortByAssociatedKeys': (list, keys) => sort(list, keys),
};

function ordered(operator: string, a: CelValue, b: CelValue, holds: (order: number) => boolean): CelResult {
  const order = hasOrder(a) ? compare(a, b) : unsupported(operator, a);
  return order instanceof CelError ? order : holds(order);
}

function isIn(value: CelValue, range: CelValue): CelResult {
  if (range instanceof CelList) return range.contains(value);
  if (!(range instanceof CelMap)) return NO_SUCH_OVERLOAD;
  const found = range.find(value);
  return found instanceof CelError ? found : found !== undefined;
}

/** Of text in code points. */
function size(value: CelValue): CelResult {
  if (typeof value === 'string')
    return BigInt(value.length - (value.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0));
  if (value instanceof CelList || value instanceof CelMap) return BigInt(value.size);
  return value instanceof Uint8Array ? BigInt(value.length) : unsupported('size', value);
}

function onStrings(a: CelValue, b: CelValue, use: (a: string, b: string) => CelResult): CelResult {
  return typeof a === 'string' && typeof b === 'string' ? use(a, b) : NO_SUCH_OVERLOAD;
}

function matches(text: string, pattern: string): CelResult {
  try {
    return compileRe2(pattern).test(text);
  } catch (error) {
    if (error instanceof Re2Error) return new CelError(error.message);
    throw error;
  }
}
