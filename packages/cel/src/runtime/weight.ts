import { CelList } from './list.ts';
import { CelMap } from './map.ts';
import { CelError, type CelResult, type CelValue } from './value.ts';

/** Units of the budget it takes to go through a value once, not into its elements. */
export function weightOf(value: CelValue): number {
  if (typeof value === 'string') return value.length / 10;
  return value instanceof CelList ? value.size : 0;
}

/** Units it takes to look at all of a value, as comparing it does. */
export function deepWeightOf(value: CelResult): number {
  if (value instanceof CelError) return 0;
  let weight = weightOf(value);
  if (value instanceof CelList) for (const element of value) weight += deepWeightOf(element);
  if (value instanceof CelMap) for (const key of value.keys()) weight += 1 + deepWeightOf(value.find(key) ?? null);
  return weight;
}
