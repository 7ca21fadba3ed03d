import { describe } from './describe.ts';
import type { Eval } from './frame.ts';
import { ArrayList } from './list.ts';
import { EntryMap } from './map.ts';
import { CelError, type CelValue, Optional } from './value.ts';

/** A planned element of a list literal. */
export interface ElementPlan {
  readonly value: Eval;
  readonly optional: boolean;
}

/** A planned entry of a map literal. */
export interface EntryPlan extends ElementPlan {
  readonly key: Eval;
}

/** `[a, ?b]`: an optional element that holds nothing is left out. */
export function listLiteral(elements: readonly ElementPlan[]): Eval {
  return (frame) => {
    const values: CelValue[] = [];
    for (const element of elements) {
      const value = element.value(frame);
      if (value instanceof CelError) return value;
      if (!element.optional) values.push(value);
      else if (!(value instanceof Optional)) {
        return new CelError(`cannot initialize optional list element from non-optional value ${describe(value)}`);
      } else if (value.value !== undefined) values.push(value.value);
    }
    return new ArrayList(values);
  };
}

/** `{k: v, ?o: w}`: the last value of a key counts, and an optional one that holds nothing removes the key. */
export function mapLiteral(entries: readonly EntryPlan[]): Eval {
  return (frame) => {
    const map = new EntryMap();
    for (const entry of entries) {
      const key = entry.key(frame);
      if (key instanceof CelError) return key;
      const value = entry.value(frame);
      if (value instanceof CelError) return value;
      if (!entry.optional) map.set(key, value);
      else if (!(value instanceof Optional)) {
        const shown = `'${describe(key)}' from non-optional value ${describe(value)}`;
        return new CelError(`cannot initialize optional entry ${shown}`);
      } else if (value.value === undefined) map.delete(key);
      else map.set(key, value.value);
    }
    return map;
  };
}
