import { add, unsupported } from '../runtime/arithmetic.ts';
import { compare, equal, hasOrder } from '../runtime/equality.ts';
import { Duration } from '../runtime/duration.ts';
import { ArrayList, CelList } from '../runtime/list.ts';
import { CelError, type CelResult, type CelValue, typeNameOf, Uint } from '../runtime/value.ts';
import { global, member, type Overload } from './overload.ts';

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
const ZEROS: readonly (readonly [string, CelValue])[] = [
  ['int', 0n],
  ['uint', new Uint(0n)],
  ['double', 0],
  ['duration', new Duration(0n)],
];

/** Kubernetes' own list functions. */
export const kubernetesLists: readonly Overload[] = [
  ...COMPARABLE.map((type) => member(`list(${type})`, 'isSorted(): bool', isSorted)),
  ...ZEROS.map(([type, zero]) => member(`list(${type})`, `sum(): ${type}`, (list: CelList) => sum(list, zero))),
  ...COMPARABLE.map((type) => member(`list(${type})`, `max(): ${type}`, (list: CelList) => extreme('max', list))),
  ...COMPARABLE.map((type) => member(`list(${type})`, `min(): ${type}`, (list: CelList) => extreme('min', list))),
  member('list(A)', 'indexOf(A): int', (list: CelList, value: CelValue) => BigInt(positions(list, value).at(0) ?? -1)),
  member('list(A)', 'lastIndexOf(A): int', (list: CelList, value: CelValue) =>
    BigInt(positions(list, value).at(-1) ?? -1),
  ),
];

/** The lists extension, version 3. `sortBy` is a macro over `@sortByAssociatedKeys`. */
export const lists: readonly Overload[] = [
  member('list(T)', 'slice(int, int): list(T)', slice),
  member('list(list(T))', 'flatten(): list(T)'),
  member('list(dyn)', 'flatten(int): list(dyn)'),
  ...COMPARABLE.map((type) => member(`list(${type})`, `sort(): list(${type})`)),
  ...COMPARABLE.map((type) => member('list(T)', `@sortByAssociatedKeys(list(${type})): list(T)`)),
  global('lists.range(int): list(int)', range, (size: bigint) => Number(size)),
  member('list(T)', 'reverse(): list(T)', (list: CelList) => new ArrayList([...list].toReversed())),
  member('list(T)', 'distinct(): list(T)', distinct, squared),
];

/** Elements are compared with one another. */
function squared(list: CelList): number {
  return list.size ** 2;
}

function isSorted(list: CelList): CelResult {
  let previous: CelValue | undefined;
  for (const element of list) {
    if (element instanceof CelError) return element;
    const order = previous === undefined ? 0 : compare(previous, element);
    if (typeof order === 'number' && order > 0) return false;
    previous = element;
  }
  return true;
}

function sum(list: CelList, zero: CelValue): CelResult {
  let total: CelResult = zero;
  for (const element of list) {
    if (element instanceof CelError) return element;
    total = add(total, element);
    if (total instanceof CelError) return total;
  }
  return total;
}

/** Elements that do not compare with the best so far are passed over. */
function extreme(name: 'min' | 'max', list: CelList): CelResult {
  let best: CelValue | undefined;
  for (const element of list) {
    if (element instanceof CelError) return element;
    const order = best === undefined ? undefined : compare(best, element);
    const isBetter = typeof order === 'number' && (name === 'min' ? order > 0 : order < 0);
    if (best === undefined || isBetter) best = element;
  }
  return best ?? new CelError(`${name} called on empty list`);
}

function positions(list: CelList, value: CelValue): readonly number[] {
  return Array.from(list, (element, i) => (equal(element, value) === true ? i : -1)).filter((i) => i >= 0);
}

function slice(list: CelList, start: bigint, end: bigint): CelResult {
  const refuse = (why: string) => new CelError(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0n || end < 0n) return refuse('negative indexes not supported');
  if (start > end) return refuse('start index must be less than or equal to end index');
  if (end > list.size) return refuse(`list is length ${list.size}`);
  return new ArrayList([...list].slice(Number(start), Number(end)));
}

/** `list.flatten()` and `list.flatten(depth)`: unlike other functions it says in its own words what it does not take. */
export function flatten(list: CelValue, depth: CelValue = 1n): CelResult {
  if (!(list instanceof CelList)) return new CelError(`no such overload: ${typeNameOf(list)}.flatten()`);
  if (typeof depth !== 'bigint') {
    return new CelError(`no such overload: ${typeNameOf(list)}.flatten(${typeNameOf(depth)})`);
  }
  return depth < 0n ? new CelError('level must be non-negative') : new ArrayList([...flat(list, depth)]);
}

function* flat(list: CelList, depth: bigint): Generator<CelResult> {
  for (const element of list) {
    if (element instanceof CelList && depth > 0n) yield* flat(element, depth - 1n);
    else yield element;
  }
}

/** `list.sort()`, and `list.sortBy(…)` with the keys it computed: the elements in the order of their keys. */
export function sort(list: CelValue, keys: CelValue = list): CelResult {
  if (!(list instanceof CelList)) return unsupported(keys === list ? 'sort' : '@sortByAssociatedKeys', list);
  const pairs: { readonly key: CelValue; readonly element: CelResult }[] = [];
  for (const [i, key] of [...(keys as CelList)].entries()) {
    if (key instanceof CelError) return key;
    if (!hasOrder(key)) return new CelError('list elements must be comparable');
    if (typeNameOf(key) !== typeNameOf(pairs[0]?.key ?? key))
      return new CelError('list elements must have the same type');
    pairs.push({ key, element: list.at(i) });
  }
  pairs.sort((a, b) => Number(compare(a.key, b.key)) || 0); // NaN has no place, and stays where it is
  return new ArrayList(pairs.map(({ element }) => element));
}

function range(size: bigint): CelList {
  return new ArrayList(Array.from({ length: Math.max(Number(size), 0) }, (_, i) => BigInt(i)));
}

function distinct(list: CelList): CelList {
  const seen: CelResult[] = [];
  for (const element of list) {
    if (!seen.some((other) => equal(element, other) === true)) seen.push(element);
  }
  return new ArrayList(seen);
}
