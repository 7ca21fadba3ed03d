import { acceptsValue } from '../check/cel-type.ts';
import { UNGUARDED } from '../library/operators.ts';
import { invoke, type Overload } from '../library/overload.ts';
import { compileRe2, Re2Error } from '../re2.ts';
import type { Eval, Frame } from './frame.ts';
import { CelError, type CelResult, type CelValue, NO_SUCH_OVERLOAD, typeNameOf } from './value.ts';
import { deepWeightOf, weightOf } from './weight.ts';

/** The expression is well typed but can never be run. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
}

/** A call whose arguments are planned; `constants` are the values of those that are constant. */
export interface CallPlan {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly args: readonly Eval[];
  readonly constants: readonly (CelValue | undefined)[];
}

/** Runs a function on its arguments: the overload is chosen by the types they turn out to have. */
export function dispatch(call: CallPlan): Eval {
  const pattern = PATTERN_FUNCTIONS.has(call.name) ? call.constants[1] : undefined;
  if (typeof pattern === 'string') checkPattern(pattern);
  const unguarded = UNGUARDED[call.name];
  const run = unguarded === undefined ? guarded(call) : (values: CelValue[]) => unguarded(...values);
  // Of a call whose pattern it has compiled ahead, cel-go does not tell which types it did not expect.
  const isNamed = typeof pattern !== 'string';
  return (frame) => {
    const values = evaluate(frame, call.args);
    if (values instanceof CelError) return values;
    frame.charge(costOf(call.name, values));
    const result = run(values, frame);
    return isNamed || !isNoSuchOverload(result) ? result : NO_SUCH_OVERLOAD;
  };
}

function isNoSuchOverload(result: CelResult): boolean {
  return result instanceof CelError && result.message.startsWith(NO_SUCH_OVERLOAD.message);
}

const PATTERN_FUNCTIONS = new Set(['matches', 'find', 'findAll']);

/** A constant pattern must compile. */
function checkPattern(pattern: string): void {
  try {
    compileRe2(pattern);
  } catch (error) {
    throw error instanceof Re2Error ? new PlanError(error.message) : error;
  }
}

/** Functions that do not go through the list they are given. */
const CONSTANT_TIME = new Set(['size', 'type', 'dyn']);

/** Units of the budget a call takes: most functions go through their arguments once. */
function costOf(name: string, values: readonly CelValue[]): number {
  const [first, second] = values;
  if (CONSTANT_TIME.has(name)) return 1;
  if (PATTERN_FUNCTIONS.has(name)) return 1 + (weightOf(first!) * weightOf(second!) * 10) / 4;
  if (name === '@in') return 1 + weightOf(second!) * Math.max(1, deepWeightOf(first!));
  return values.reduce<number>((cost, value) => cost + weightOf(value), 1);
}

function guarded({ name, overloads }: CallPlan): (values: CelValue[], frame: Frame) => CelResult {
  return (values, frame) => {
    const overload = overloads.find(({ params }) => params.every((type, i) => acceptsValue(type, values[i]!)));
    if (overload?.call === undefined) return noSuchOverload(name, values);
    if (overload.cost !== undefined) frame.charge(overload.cost(...(values as never[])));
    return invoke(overload.call, values);
  };
}

function noSuchOverload(name: string, values: readonly CelValue[]): CelError {
  return new CelError(`no such overload: ${name}(${values.map(typeNameOf).join(', ')})`);
}

/** The arguments' values, or the first error among them. */
function evaluate(frame: Frame, args: readonly Eval[]): CelValue[] | CelError {
  const values: CelValue[] = [];
  for (const arg of args) {
    const value = arg(frame);
    if (value instanceof CelError) return value;
    values.push(value);
  }
  return values;
}
