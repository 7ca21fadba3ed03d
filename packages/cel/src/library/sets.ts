import type { CelList } from '../runtime/list.ts';
import { CelError, type CelResult } from '../runtime/value.ts';
import { global, type Overload } from './overload.ts';

/** Lists taken for sets: how often an element is there and where does not count. */
export const sets: readonly Overload[] = [
  global('sets.contains(list(T), list(T)): bool', contains, pairs),
  global('sets.equivalent(list(T), list(T)): bool', equivalent, (a: CelList, b: CelList) => 2 * pairs(a, b)),
  global('sets.intersects(list(T), list(T)): bool', intersects, pairs),
];

function pairs(a: CelList, b: CelList): number {
  return a.size * b.size;
}

function contains(list: CelList, sublist: CelList): CelResult {
  for (const element of sublist) {
    const found = element instanceof CelError ? element : list.contains(element);
    if (found !== true) return found;
  }
  return true;
}

function equivalent(a: CelList, b: CelList): CelResult {
  const there = contains(a, b);
  return there === true ? contains(b, a) : there;
}

function intersects(a: CelList, b: CelList): CelResult {
  for (const element of a) {
    if (!(element instanceof CelError) && b.contains(element) === true) return true;
  }
  return false;
}
