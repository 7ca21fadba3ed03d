import { conversions } from '../library/conversions.ts';
import { invoke } from '../library/overload.ts';
import { parseFormat, VERB_TYPES, type Verb } from '../library/string-format.ts';
import { compileRe2, Re2Error } from '../re2.ts';
import { CelError } from '../runtime/value.ts';
import { type CallExpr, childrenOf, type Expr } from '../syntax/ast.ts';
import type { Issue } from '../syntax/issue.ts';
import { acceptsValue, type CelType, formatType, isSameType } from './cel-type.ts';
import type { CheckedExpr } from './checker.ts';

/** What is wrong with literals of an expression whose types are right: these are mistakes, not run-time errors. */
export function checkLiterals(checked: CheckedExpr): readonly Issue[] {
  return [...issuesOf(checked, checked.expr, false)];
}

function* issuesOf(checked: CheckedExpr, expr: Expr, inFormat: boolean): Generator<Issue> {
  if (expr.kind === 'call') yield* callIssues(checked, expr);
  if (!inFormat && expr.kind === 'list') yield* mixedTypes(checked, expr.elements, (element) => element.value);
  if (!inFormat && expr.kind === 'map') {
    yield* mixedTypes(checked, expr.entries, (entry) => entry.key);
    yield* mixedTypes(checked, expr.entries, (entry) => entry.value);
  }
  const isFormat = expr.kind === 'call' && expr.name === 'format';
  for (const child of childrenOf(expr)) yield* issuesOf(checked, child, inFormat || isFormat);
}

function* callIssues(checked: CheckedExpr, call: CallExpr): Generator<Issue> {
  const argument = call.args[0];
  if (call.name === 'format' && call.target !== undefined) yield* formatIssues(checked, call);
  if (argument?.kind !== 'literal') return;
  const converts = call.name === 'duration' || call.name === 'timestamp';
  const isWrong = converts ? !isConvertible(call.name, argument) : call.name === 'matches' && !isPattern(argument);
  if (isWrong) yield { pos: argument.pos, message: `invalid ${call.name} argument` };
}

function isConvertible(name: string, { value }: Extract<Expr, { kind: 'literal' }>): boolean {
  const overload = conversions.find((known) => known.name === name && acceptsValue(known.params[0]!, value));
  return !(overload?.call !== undefined && invoke(overload.call, [value]) instanceof CelError);
}

function isPattern({ value }: Extract<Expr, { kind: 'literal' }>): boolean {
  if (typeof value !== 'string') return true;
  try {
    compileRe2(value);
    return true;
  } catch (error) {
    if (error instanceof Re2Error) return false;
    throw error;
  }
}

interface Part {
  readonly optional: boolean;
}

/** The elements of a list literal, and the keys and the values of a map literal, must be of one type each. */
function* mixedTypes<P extends Part>(
  checked: CheckedExpr,
  parts: readonly P[],
  pick: (part: P) => Expr,
): Generator<Issue> {
  let first: CelType | undefined;
  for (const part of parts) {
    const expr = pick(part);
    const declared = checked.types.get(expr)!;
    const type = part.optional && declared.name === 'optional_type' ? declared.params[0]! : declared;
    first ??= type;
    if (isSameType(first, type)) continue;
    yield { pos: expr.pos, message: `expected type '${formatType(first)}' but found '${formatType(type)}'` };
    return;
  }
}

/** A format text and its arguments, where both are literals. */
function* formatIssues(checked: CheckedExpr, { pos, target, args: [list] }: CallExpr): Generator<Issue> {
  if (target?.kind !== 'literal' || typeof target.value !== 'string' || list?.kind !== 'list') return;
  const args = list.elements.map((element) => element.value);
  let used = 0;
  for (const part of parseFormat(target.value, args.length)) {
    if (typeof part === 'string') continue;
    const wrong =
      part instanceof CelError ? { pos, message: part.message } : wrongArgument(checked, part.verb, args[used++]!);
    if (wrong === undefined) continue;
    yield wrong;
    return;
  }
  if (used < args.length) {
    const message = `too many arguments supplied to string.format (expected ${used}, got ${args.length})`;
    yield { pos, message };
  }
}

function wrongArgument(checked: CheckedExpr, verb: Verb, arg: Expr): Issue | undefined {
  const type = checked.types.get(arg)!;
  const { types, complaint } = VERB_TYPES[verb];
  if (type.kind !== 'dyn' && !types.includes(type.kind)) {
    return { pos: arg.pos, message: `error during formatting: ${complaint} ${type.name}` };
  }
  if (verb !== 's' || (arg.kind !== 'list' && arg.kind !== 'map')) return undefined;
  for (const nested of childrenOf(arg)) {
    const wrong = wrongArgument(checked, verb, nested);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
