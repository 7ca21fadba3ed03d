import { equal } from './equality.ts';
import type { Eval } from './frame.ts';
import { CelError, type CelResult, NO_SUCH_OVERLOAD, Optional } from './value.ts';
import { deepWeightOf } from './weight.ts';

// Operators that do not need all of their operands.

/** `a && b`: false as soon as either is, whatever the other is; else the first error. */
export function and(left: Eval, right: Eval): Eval {
  return (frame) => {
    const a = left(frame);
    if (a === false) return false;
    const b = right(frame);
    return b === false ? false : bothOrError(a, b, true);
  };
}

/** `a || b`: true as soon as either is, whatever the other is; else the first error. */
export function or(left: Eval, right: Eval): Eval {
  return (frame) => {
    const a = left(frame);
    if (a === true) return true;
    const b = right(frame);
    return b === true ? true : bothOrError(a, b, false);
  };
}

/** `neutral` when both are that, the only bool they can still be. */
function bothOrError(a: CelResult, b: CelResult, neutral: boolean): CelResult {
  if (a !== neutral) return a instanceof CelError ? a : NO_SUCH_OVERLOAD;
  if (b !== neutral) return b instanceof CelError ? b : NO_SUCH_OVERLOAD;
  return neutral;
}

/** `condition ? a : b`. */
export function conditional(condition: Eval, whenTrue: Eval, whenFalse: Eval): Eval {
  return (frame) => {
    const value = condition(frame);
    if (value === true) return whenTrue(frame);
    if (value === false) return whenFalse(frame);
    return value instanceof CelError ? value : NO_SUCH_OVERLOAD;
  };
}

/** `a == b`. */
export function equals(left: Eval, right: Eval): Eval {
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    frame.charge(deepWeightOf(a));
    return equal(a, b);
  };
}

/** `a != b`: true also where comparing the two is an error, but not where one of them is. */
export function notEquals(left: Eval, right: Eval): Eval {
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (a instanceof CelError) return a;
    if (b instanceof CelError) return b;
    frame.charge(deepWeightOf(a));
    return equal(a, b) !== true;
  };
}

/** Whether a quantifier should look further: anything but `false` does not decide it. */
export function notStrictlyFalse(operand: Eval): Eval {
  return (frame) => operand(frame) !== false;
}

/** `a.or(b)`: the first that holds something. */
export function optionalOr(left: Eval, right: Eval): Eval {
  return (frame) => {
    const a = left(frame);
    return a instanceof Optional && a.value === undefined ? right(frame) : a;
  };
}

/** `a.orValue(b)`: what `a` holds, else `b`. */
export function optionalOrValue(left: Eval, right: Eval): Eval {
  return (frame) => {
    const a = left(frame);
    if (!(a instanceof Optional)) return a;
    return a.value === undefined ? right(frame) : a.value;
  };
}
