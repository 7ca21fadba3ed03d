import { describe } from './describe.ts';
import type { Eval, Frame } from './frame.ts';
import { type ArrayList, CelList } from './list.ts';
import { CelMap, type EntryMap } from './map.ts';
import { CelError, type CelResult, type CelValue, goTypeNameOf } from './value.ts';

/** A planned loop. Variables are slots of the frame. */
export interface FoldPlan {
  readonly range: Eval;
  readonly variables: readonly [number] | readonly [number, number];
  readonly accumulator: number;
  readonly init: Eval;
  readonly condition: Eval;
  readonly step: Eval;
  readonly result: Eval;
  /** Units of the budget one turn takes. */
  readonly cost: number;
}

/** Runs the step for each element of a list or entry of a map while the condition is not false, then the result. */
export function fold(plan: FoldPlan): Eval {
  return (frame) => {
    const range = plan.range(frame);
    if (range instanceof CelError) return range;
    if (!(range instanceof CelList || range instanceof CelMap)) return notIterable(range, plan);
    frame.slots[plan.accumulator] = plan.init(frame);
    if (range instanceof CelList) overList(frame, range, plan);
    else overMap(frame, range, plan);
    return plan.result(frame);
  };
}

function notIterable(range: CelValue, { variables }: FoldPlan): CelError {
  const type = goTypeNameOf(range);
  if (variables.length === 2) return new CelError(`unsupported comprehension range type: ${type}`);
  return new CelError(`got '${type}', expected iterable type`);
}

function overList(frame: Frame, list: CelList, plan: FoldPlan): void {
  const [first, second] = plan.variables;
  for (let i = 0; i < list.size; i++) {
    if (second !== undefined) frame.slots[first] = BigInt(i);
    frame.slots[second ?? first] = list.at(i);
    if (!turn(frame, plan)) return;
  }
}

function overMap(frame: Frame, map: CelMap, plan: FoldPlan): void {
  const [first, second] = plan.variables;
  for (const key of map.keys()) {
    frame.slots[first] = key;
    if (second !== undefined) frame.slots[second] = map.find(key)!;
    if (!turn(frame, plan)) return;
  }
}

function turn(frame: Frame, { condition, step, accumulator, cost }: FoldPlan): boolean {
  frame.charge(cost);
  if (condition(frame) === false) return false;
  frame.slots[accumulator] = step(frame);
  return true;
}

/** Adds an element to the list a fold builds. In place: nothing else has seen that list. */
export function append(list: Eval, element: Eval): Eval {
  return (frame) => {
    const built = list(frame);
    const value = element(frame);
    if (built instanceof CelError) return built;
    if (value instanceof CelError) return value;
    (built as ArrayList).push(value);
    return built;
  };
}

/** Adds entries to the map a fold builds, in place: a key and a value, or all of another map. */
export function insert(map: Eval, ...parts: readonly Eval[]): Eval {
  return (frame) => {
    const built = map(frame);
    const values: CelValue[] = [];
    for (const value of [built, ...parts.map((part) => part(frame))]) {
      if (value instanceof CelError) return value;
      values.push(value);
    }
    return insertAll(built as EntryMap, entriesOf(values.slice(1)));
  };
}

function entriesOf([key, value]: readonly CelValue[]): readonly (readonly [CelValue, CelResult])[] {
  if (value !== undefined) return [[key!, value]];
  const map = key as CelMap;
  return Array.from(map.keys(), (name) => [name, map.find(name)!]);
}

function insertAll(built: EntryMap, entries: readonly (readonly [CelValue, CelResult])[]): CelResult {
  for (const [key, value] of entries) {
    if (built.find(key) !== undefined) return new CelError(`insert failed: key ${describe(key)} already exists`);
    built.set(key, value);
  }
  return built;
}
