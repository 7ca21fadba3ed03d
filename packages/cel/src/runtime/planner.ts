import type { CheckedExpr } from '../check/checker.ts';
import {
  ACCUMULATOR,
  type BindExpr,
  type CallExpr,
  type Element,
  type Entry,
  type Expr,
  type FoldExpr,
  walk,
} from '../syntax/ast.ts';
import { dispatch, PlanError } from './call.ts';
import { readChain, type Step, testChain } from './chain.ts';
import { append, fold, insert } from './fold.ts';
import { type Eval, Frame } from './frame.ts';
import { withoutSchema } from './json.ts';
import { listLiteral, mapLiteral } from './literals.ts';
import { ArrayList } from './list.ts';
import { and, conditional, equals, notEquals, notStrictlyFalse, optionalOr, optionalOrValue, or } from './logic.ts';
import { EntryMap } from './map.ts';
import { keyProblem } from './member.ts';
import { CelError, type CelValue, Optional } from './value.ts';

/**
 * Turns a checked expression into closures. The first slots of a frame to run it in are the variables, in that order.
 * Throws PlanError where a part that is constant always fails.
 */
export function plan(checked: CheckedExpr, variables: readonly string[]): Eval {
  return new Planner(checked, variables).plan(checked.expr);
}

/** Operators that look at their operands one by one. */
const LAZY: Readonly<Record<string, (...operands: [Eval, Eval, Eval]) => Eval>> = {
  '_&&_': and,
  '_||_': or,
  '_?_:_': conditional,
  '_==_': equals,
  '_!=_': notEquals,
  '@not_strictly_false': notStrictlyFalse,
  '@append': append,
  'cel.@mapInsert': insert,
  or: optionalOr,
  orValue: optionalOrValue,
};

/** Functions that are evaluated at once where their argument is constant, so that what always fails is refused. */
const FOLDED = new Set('bool bytes double duration dyn int string timestamp type uint'.split(' '));

class Planner {
  readonly #checked: CheckedExpr;
  /** Slots of the variables in scope, by name. */
  readonly #scope: Map<string, number>;
  /** Values known before any evaluation. */
  readonly #constants = new Map<Eval, CelValue>();
  #slots: number;

  constructor(checked: CheckedExpr, variables: readonly string[]) {
    this.#checked = checked;
    this.#scope = new Map(variables.map((name, slot) => [name, slot]));
    this.#slots = variables.length;
  }

  plan(expr: Expr): Eval {
    const typeName = this.#checked.typeNames.get(expr);
    if (typeName !== undefined) return this.#constant(typeName);
    switch (expr.kind) {
      case 'literal':
        return this.#constant(expr.value);
      case 'ident':
        return variable(this.#scope.get(expr.name)!);
      case 'select':
        return this.#chain(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr.elements);
      case 'map':
        return this.#map(expr.entries);
      case 'fold':
        return this.#fold(expr);
      case 'bind':
        return this.#bind(expr);
      case 'message':
        throw new PlanError(`unknown type: ${expr.name}`);
      default:
        return expr satisfies never;
    }
  }

  #constant(value: CelValue): Eval {
    const run = (): CelValue => value;
    this.#constants.set(run, value);
    return run;
  }

  /** Runs what depends on constants only. */
  #folded(run: Eval): Eval {
    const value = run(new Frame([], Number.POSITIVE_INFINITY));
    if (value instanceof CelError) throw new PlanError(value.message);
    return this.#constant(value);
  }

  #areConstant(evals: readonly Eval[]): boolean {
    return evals.every((run) => this.#constants.has(run));
  }

  /** A chain of members is read as a whole, since one optional step makes all that follow optional. */
  #chain(expr: Expr): Eval {
    const steps: Step[] = [];
    let base = expr;
    while (!this.#checked.typeNames.has(base)) {
      if (base.kind === 'select') {
        steps.unshift({ key: this.#constant(base.field), optional: base.mode === 'optional' });
        base = base.operand;
      } else if (base.kind === 'call' && isIndex(base)) {
        steps.unshift({ key: this.#key(base.args[1]!), optional: base.name === '_[?_]' });
        base = base.args[0]!;
      } else break;
    }
    const isTest = expr.kind === 'select' && expr.mode === 'test';
    return isTest ? testChain(this.plan(base), steps) : readChain(this.plan(base), steps);
  }

  #key(expr: Expr): Eval {
    const key = this.plan(expr);
    const constant = this.#constants.get(key);
    const problem = constant === undefined ? undefined : keyProblem(constant);
    if (problem !== undefined) throw new PlanError(problem.message);
    return key;
  }

  #call(expr: CallExpr): Eval {
    if (isIndex(expr)) return this.#chain(expr);
    const overloads = this.#checked.overloads.get(expr) ?? [];
    const isMethod = expr.target !== undefined && overloads[0]?.member !== false;
    const args = (isMethod ? [expr.target, ...expr.args] : expr.args).map((arg) => this.plan(arg));
    const name = overloads[0]?.name ?? expr.name;
    const lazy = LAZY[name];
    if (lazy !== undefined) return lazy(...(args as [Eval, Eval, Eval]));
    const run = dispatch({ name, overloads, args, constants: args.map((arg) => this.#constants.get(arg)) });
    return FOLDED.has(name) && this.#areConstant(args) ? this.#folded(run) : run;
  }

  #list(elements: readonly Element[]): Eval {
    const parts = elements.map(({ value, optional }) => ({ value: this.plan(value), optional }));
    const run = listLiteral(parts);
    return this.#areConstant(parts.map(({ value }) => value)) ? this.#folded(run) : run;
  }

  #map(entries: readonly Entry[]): Eval {
    const parts = entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    const run = mapLiteral(parts);
    return this.#areConstant(parts.flatMap(({ key, value }) => [key, value])) ? this.#folded(run) : run;
  }

  #fold(expr: FoldExpr): Eval {
    const range = this.plan(expr.range);
    const init = this.#accumulation(expr.init);
    return this.#scoped([ACCUMULATOR, ...expr.variables], ([accumulator, first, second]) =>
      fold({
        range,
        init,
        accumulator: accumulator!,
        variables: second === undefined ? [first!] : [first!, second],
        condition: this.plan(expr.condition),
        step: this.plan(expr.step),
        result: this.plan(expr.result),
        cost: [...walk(expr.condition), ...walk(expr.step)].length,
      }),
    );
  }

  /** A list or map that a fold builds must be a new one each time. */
  #accumulation(init: Expr): Eval {
    if (init.kind === 'list') return () => new ArrayList([]);
    return init.kind === 'map' ? () => new EntryMap() : this.plan(init);
  }

  #bind(expr: BindExpr): Eval {
    const value = this.plan(expr.value);
    return this.#scoped([expr.name], ([slot]) => {
      const body = this.plan(expr.body);
      return (frame) => {
        frame.slots[slot!] = value(frame);
        return body(frame);
      };
    });
  }

  /** Plans with more variables in scope; their slots are used by nothing else. */
  #scoped(names: readonly string[], planWith: (slots: readonly number[]) => Eval): Eval {
    const hidden = names.map((name) => [name, this.#scope.get(name)] as const);
    const slots = names.map(() => this.#slots++);
    names.forEach((name, i) => this.#scope.set(name, slots[i]!));
    const run = planWith(slots);
    for (const [name, slot] of hidden) {
      if (slot === undefined) this.#scope.delete(name);
      else this.#scope.set(name, slot);
    }
    return run;
  }
}

function isIndex({ name }: CallExpr): boolean {
  return name === '_[_]' || name === '_[?_]';
}

function variable(slot: number): Eval {
  return (frame) => {
    const value = frame.slots[slot]!;
    return value instanceof Optional ? withoutSchema(value) : value;
  };
}
