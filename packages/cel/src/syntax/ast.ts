import type { Scalar } from '../runtime/value.ts';

/**
 * A parsed expression. Macros are already expanded, so what is left is small; `pos` is the offset in the
 * source that error messages point at. Nodes never change, so a macro may use one twice: what the
 * checker learns is kept in maps by node.
 */
export type Expr =
  | { readonly kind: 'literal'; readonly pos: number; readonly value: Scalar }
  | { readonly kind: 'ident'; readonly pos: number; readonly name: string }
  | SelectExpr
  | CallExpr
  | { readonly kind: 'list'; readonly pos: number; readonly elements: readonly Element[] }
  | { readonly kind: 'map'; readonly pos: number; readonly entries: readonly Entry[] }
  | { readonly kind: 'message'; readonly pos: number; readonly name: string }
  | FoldExpr
  | BindExpr;

/** `operand.field`; `test` is `has(operand.field)`, `optional` is `operand.?field`. */
export interface SelectExpr {
  readonly kind: 'select';
  readonly pos: number;
  readonly operand: Expr;
  readonly field: string;
  readonly mode: 'get' | 'test' | 'optional';
}

/** A call of a function or an operator (`_+_`, `_[_]`, …); `target` is the receiver of the method form. */
export interface CallExpr {
  readonly kind: 'call';
  readonly pos: number;
  readonly name: string;
  readonly target?: Expr;
  readonly args: readonly Expr[];
}

/** An element of a list literal; an optional one (`?x`) is left out when it holds nothing. */
export interface Element {
  readonly value: Expr;
  readonly optional: boolean;
}

/** An entry of a map literal. */
export interface Entry extends Element {
  readonly key: Expr;
}

/** A loop over a list or the keys of a map: what `all`, `exists`, `map`, `filter` and their kin expand to. */
export interface FoldExpr {
  readonly kind: 'fold';
  readonly pos: number;
  readonly range: Expr;
  readonly variables: readonly [string] | readonly [string, string];
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** `body` with `name` standing for `value`. */
export interface BindExpr {
  readonly kind: 'bind';
  readonly pos: number;
  readonly name: string;
  readonly value: Expr;
  readonly body: Expr;
}

/** The variable a fold accumulates in; no rule can spell it. */
export const ACCUMULATOR = '@result';

/** The expressions directly below `expr`, in source order. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
    case 'message':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.elements.map((element) => element.value);
    case 'map':
      return expr.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'fold':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
    case 'bind':
      return [expr.value, expr.body];
    default:
      return expr satisfies never;
  }
}

/** `expr` and everything below it, parents first. */
export function* walk(expr: Expr): Generator<Expr> {
  yield expr;
  for (const child of childrenOf(expr)) yield* walk(child);
}

/** `a.b.c` as one dotted name, or undefined where the expression is no such chain. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.mode !== 'get') return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
