import { type CelType, parseType, splitTypes } from '../check/cel-type.ts';
import type { CelResult, CelValue } from '../runtime/value.ts';

/** One signature of a function, and what it does. */
export interface Overload {
  readonly name: string;
  /** True for `x.name(…)`; the receiver is then the first of `params`. */
  readonly member: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  /** Missing where the evaluator itself does the work: operators, and functions that read any type. */
  readonly call?: Implementation;
  /** Units of the evaluation budget a call takes beyond those for reading its arguments. */
  readonly cost?: Cost;
}

/** Called with values of the signature's types only, so it may declare those. */
export type Implementation = (...args: never[]) => CelResult;

/** As `Implementation`. */
export type Cost = (...args: never[]) => number;

/** `name(params): result`, for instance `sets.contains(list(T), list(T)): bool`. */
export function global(signature: string, call?: Implementation, cost?: Cost): Overload {
  return overload([], signature, call, cost);
}

/** `receiver.name(params): result`, for instance `string` and `charAt(int): string`. */
export function member(receiver: string, signature: string, call?: Implementation, cost?: Cost): Overload {
  return overload([receiver], signature, call, cost);
}

function overload(receiver: readonly string[], signature: string, call?: Implementation, cost?: Cost): Overload {
  const open = signature.indexOf('(');
  const close = signature.lastIndexOf('): ');
  return {
    name: signature.slice(0, open),
    member: receiver.length === 1,
    params: [...receiver, ...splitTypes(signature.slice(open + 1, close))].map(parseType),
    result: parseType(signature.slice(close + 3)),
    ...(call && { call }),
    ...(cost && { cost }),
  };
}

/** Runs an overload on arguments known to have its types. */
export function invoke(implementation: Implementation, args: readonly CelValue[]): CelResult {
  return implementation(...(args as never[]));
}
