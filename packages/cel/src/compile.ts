import type { StructuralSchema } from '@karpenter-ts/kubernetes';
import { type CelType, optionalOf } from './check/cel-type.ts';
import { type CheckedExpr, check } from './check/checker.ts';
import { checkLiterals } from './check/literal-checks.ts';
import { schemaType } from './check/schema-type.ts';
import { PlanError } from './runtime/call.ts';
import { BudgetExceeded, type Eval, Frame } from './runtime/frame.ts';
import { plan } from './runtime/planner.ts';
import { CelError, type CelResult, type CelValue, Optional } from './runtime/value.ts';
import { walk } from './syntax/ast.ts';
import { type Issue, renderIssues } from './syntax/issue.ts';
import { SyntaxIssue } from './syntax/lexer.ts';
import { parse } from './syntax/parser.ts';

/** What an expression is compiled for. */
export interface CelScope {
  /** The schema of `self` and `oldSelf`; at the root of a kind, `asResource` of it. */
  readonly self: StructuralSchema;
  /** `oldSelf` is an optional, there also when an object is created. Default: no. */
  readonly optionalOldSelf?: boolean;
  /** A rule gives a bool, a `messageExpression` a string. Default: bool. */
  readonly gives?: 'bool' | 'string';
}

/** The values of an evaluation, from `toCel` with the schema of the scope. */
interface CelVariables {
  readonly self: CelResult;
  readonly oldSelf?: CelResult | undefined;
}

/** What an expression gave, or why it gave nothing, in cel-go's words. */
export type CelOutcome = { readonly value: CelValue } | { readonly error: string };

/** A compiled expression. */
export interface CelRule {
  /** True when the name `oldSelf` occurs: such a rule is skipped where there is no old value, unless it is optional. */
  readonly usesOldSelf: boolean;
  /** Never throws. What it costs is taken off the budget; one of its own unless given. */
  evaluate(variables: CelVariables, budget?: CelBudget): CelOutcome;
}

/** Units of work that are left for the rules of one object, and what they have cost. */
export class CelBudget {
  #left = OBJECT_BUDGET;

  /** True when the rules so far have cost more than there was. */
  get isExceeded(): boolean {
    return this.#left < 0;
  }

  /** How much one evaluation may cost. */
  get forOneCall(): number {
    return Math.min(CALL_BUDGET, this.#left);
  }

  charge(units: number): void {
    this.#left -= units;
  }
}

/** The API server would refuse a CRD with this expression. */
export class CelCompileError extends Error {
  override readonly name = 'CelCompileError';
  readonly rule: string;
  /** The detail of the API server's own error, to the letter but for syntax errors, where only the first is shown. */
  readonly reason: string;

  constructor(rule: string, reason: string, options?: ErrorOptions) {
    super(`CEL rule ${JSON.stringify(rule)}: ${reason}`, options);
    this.rule = rule;
    this.reason = reason;
  }
}

const VARIABLES = ['self', 'oldSelf'];

/**
 * Units of work one evaluation, and all rules of one object together, may take: a unit is about an operator, a call, an
 * element or ten characters looked at. The API server has as many, counts them a little differently and bounds them also
 * by what schemas allow, which has no counterpart here: this is only to keep rules from occupying the process.
 */
const CALL_BUDGET = 1_000_000;
const OBJECT_BUDGET = 10_000_000;

/** The error of an evaluation that would cost more than it may. */
export const OVER_BUDGET = 'operation cancelled: actual cost limit exceeded';

const NO_OLD_SELF = new CelError('no such attribute(s): oldSelf');

/**
 * Compiles an expression as kube-apiserver 1.35 does: parsed, type-checked against the schema, and everything constant
 * evaluated. Throws CelCompileError where the API server would refuse it. Costs about 100 µs a rule.
 */
export function compileCel(rule: string, scope: CelScope): CelRule {
  const checked = checkRule(rule, scope);
  const run = planRule(rule, checked, scope);
  const usesOldSelf = [...walk(checked.expr)].some((expr) => expr.kind === 'ident' && expr.name === 'oldSelf');
  return { usesOldSelf, evaluate: (variables, budget) => evaluate(run, variables, scope, budget) };
}

function checkRule(rule: string, scope: CelScope): CheckedExpr {
  const self = schemaType(scope.self);
  if (self === undefined) throw new CelCompileError(rule, 'failed to convert to declType for CEL validation rules');
  const { gives = 'bool', optionalOldSelf = false } = scope;
  const checked = checkSource(rule, { self, oldSelf: optionalOldSelf ? optionalOf(self) : self });
  if ('failures' in checked) {
    const prefix = gives === 'string' ? 'messageExpression compilation failed' : 'compilation failed';
    throw new CelCompileError(rule, `${prefix}: ${renderIssues(rule, checked.failures)}`);
  }
  if (checked.type.kind !== gives) {
    const subject = gives === 'string' ? 'messageExpression' : 'cel expression';
    throw new CelCompileError(rule, `${subject} must evaluate to a ${gives}`);
  }
  return checked;
}

/** Literals are looked at only in an expression whose types are right. */
function checkSource(source: string, variables: Readonly<Record<string, CelType>>): CheckedExpr | Failure {
  try {
    const checked = check(parse(source), variables);
    if (checked.issues.length > 0) return { failures: checked.issues };
    const issues = checkLiterals(checked);
    return issues.length === 0 ? checked : { failures: issues };
  } catch (error) {
    if (error instanceof SyntaxIssue) return { failures: [error.issue] };
    throw error;
  }
}

interface Failure {
  readonly failures: readonly Issue[];
}

function planRule(rule: string, checked: CheckedExpr, { gives }: CelScope): Eval {
  try {
    return plan(checked, VARIABLES);
  } catch (cause) {
    if (!(cause instanceof PlanError)) throw cause;
    const subject = gives === 'string' ? 'messageExpression' : 'program';
    throw new CelCompileError(rule, `${subject} instantiation failed: ${cause.message}`, { cause });
  }
}

function evaluate(
  run: Eval,
  { self, oldSelf }: CelVariables,
  { optionalOldSelf }: CelScope,
  budget = new CelBudget(),
): CelOutcome {
  const old = optionalOldSelf === true ? optional(oldSelf) : (oldSelf ?? NO_OLD_SELF);
  const frame = new Frame([self, old], budget.forOneCall);
  try {
    const value = run(frame);
    return value instanceof CelError ? { error: value.message } : { value };
  } catch (error) {
    // A RangeError is a string or a stack that grew beyond what the engine allows.
    if (error instanceof BudgetExceeded || error instanceof RangeError) return { error: OVER_BUDGET };
    throw error;
  } finally {
    budget.charge(frame.spent);
  }
}

function optional(value: CelResult | undefined): CelResult {
  if (value === undefined) return Optional.NONE;
  return value instanceof CelError ? value : new Optional(value);
}
