import type { Overload } from '../library/overload.ts';
import { findFunction } from '../library/registry.ts';
import { type Scalar, TypeValue, typeNameOf } from '../runtime/value.ts';
import {
  ACCUMULATOR,
  type BindExpr,
  type CallExpr,
  type Element,
  type Expr,
  type FoldExpr,
  qualifiedName,
  type SelectExpr,
} from '../syntax/ast.ts';
import type { Issue } from '../syntax/issue.ts';
import {
  BOOL,
  type CelType,
  DYN,
  ERROR,
  formatType,
  INT,
  isSameType,
  listOf,
  mapOf,
  optionalOf,
  paramType,
  parseType,
  typeOf,
} from './cel-type.ts';
import { mostGeneral, Substitution } from './substitution.ts';

/** What checking an expression found out. */
export interface CheckedExpr {
  readonly expr: Expr;
  readonly type: CelType;
  readonly issues: readonly Issue[];
  /** The type of every expression; a type that nothing determines is `dyn`. */
  readonly types: ReadonlyMap<Expr, CelType>;
  /** The overloads a call may turn out to be: more than one where arguments are `dyn`. */
  readonly overloads: ReadonlyMap<CallExpr, readonly Overload[]>;
  /** Names that stand for a type: `int`, `google.protobuf.Duration`. */
  readonly typeNames: ReadonlyMap<Expr, TypeValue>;
}

/** Finds the type of an expression and all that is wrong with it. Never throws. */
export function check(expr: Expr, variables: Readonly<Record<string, CelType>>): CheckedExpr {
  return new Checker(variables).run(expr);
}

const TYPE_NAMES: ReadonlyMap<string, CelType> = new Map([
  ...['bool', 'bytes', 'double', 'int', 'string', 'uint', 'null', 'duration', 'timestamp', 'IP', 'CIDR'].map(
    (name): [string, CelType] => [parseType(name).name, parseType(name)],
  ),
  ['list', listOf(DYN)],
  ['map', mapOf(DYN, DYN)],
  ['type', typeOf(DYN)],
  ['optional_type', optionalOf(DYN)],
]);

class Checker {
  readonly #variables: Map<string, CelType>;
  readonly #issues: Issue[] = [];
  readonly #types = new Map<Expr, CelType>();
  readonly #overloads = new Map<CallExpr, readonly Overload[]>();
  readonly #typeNames = new Map<Expr, TypeValue>();
  #substitution = new Substitution();
  #freshTypes = 0;

  constructor(variables: Readonly<Record<string, CelType>>) {
    this.#variables = new Map(Object.entries(variables));
  }

  run(expr: Expr): CheckedExpr {
    this.#check(expr);
    for (const [node, type] of this.#types) this.#types.set(node, this.#substitution.apply(type, 'dyn'));
    return {
      expr,
      type: this.#types.get(expr)!,
      issues: this.#issues,
      types: this.#types,
      overloads: this.#overloads,
      typeNames: this.#typeNames,
    };
  }

  #check(expr: Expr): CelType {
    const type = this.#typeOf(expr);
    this.#types.set(expr, type);
    return type;
  }

  #typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case 'literal':
        return literalType(expr.value);
      case 'ident':
        return this.#lookUp(expr, expr.name) ?? this.#undeclared(expr, expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return listOf(this.#join(expr.elements.map((element) => this.#element(element))));
      case 'map':
        return this.#map(expr.entries);
      case 'message':
        return this.#undeclared(expr, expr.name);
      case 'fold':
        return this.#fold(expr);
      case 'bind':
        return this.#bind(expr);
      default:
        return expr satisfies never;
    }
  }

  #report({ pos }: Expr, message: string): CelType {
    this.#issues.push({ pos, message });
    return ERROR;
  }

  #undeclared(expr: Expr, name: string): CelType {
    return this.#report(expr, `undeclared reference to '${name}' (in container '')`);
  }

  #mismatch(expr: Expr, expected: CelType, found: CelType): void {
    this.#report(expr, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  }

  #lookUp(expr: Expr, name: string): CelType | undefined {
    const variable = this.#variables.get(name);
    if (variable !== undefined) return variable;
    const named = TYPE_NAMES.get(name);
    if (named === undefined) return undefined;
    this.#typeNames.set(expr, new TypeValue(name));
    return typeOf(named);
  }

  #fresh(): CelType {
    return paramType(`_var${this.#freshTypes++}`);
  }

  /** True when `from` can be used as `to`; what that says about their parameters is kept. */
  #assign(from: readonly CelType[], to: readonly CelType[]): boolean {
    const extended = this.#substitution.assign(from, to);
    if (extended === undefined) return false;
    this.#substitution = extended;
    return true;
  }

  #select(expr: SelectExpr): CelType {
    const name = qualifiedName(expr);
    const named = name === undefined ? undefined : this.#lookUp(expr, name);
    if (named !== undefined) return named;
    const operand = this.#substitution.apply(this.#check(expr.operand));
    const { type, optional } = unwrapOptional(operand);
    const field = this.#field(expr, type);
    if (expr.mode === 'test') return BOOL;
    return optional || expr.mode === 'optional' ? optionalOf(field) : field;
  }

  #field(expr: SelectExpr, type: CelType): CelType {
    if (type.kind === 'map') return type.params[1]!;
    if (type.kind === 'struct')
      return type.field?.(expr.field) ?? this.#report(expr, `undefined field '${expr.field}'`);
    if (type.kind === 'param') this.#assign([DYN], [type]);
    else if (type.kind !== 'dyn' && type.kind !== 'error') {
      this.#report(expr, `type '${formatType(type)}' does not support field selection`);
    }
    return DYN;
  }

  #call(expr: CallExpr): CelType {
    const args = expr.args.map((arg) => this.#check(arg));
    const { target, name } = expr;
    if (target === undefined) return this.#resolve(expr, name, args, 'global');
    const prefix = qualifiedName(target);
    if (prefix !== undefined && findFunction(`${prefix}.${name}`) !== undefined) {
      return this.#resolve(expr, `${prefix}.${name}`, args, 'global');
    }
    return this.#resolve(expr, name, [this.#check(target), ...args], 'member');
  }

  #resolve(expr: CallExpr, name: string, args: readonly CelType[], style: 'global' | 'member'): CelType {
    const declared = findFunction(name);
    if (declared === undefined) return this.#undeclared(expr, name);
    if (name === '_&&_' || name === '_||_') return this.#logic(expr, args);
    const candidates: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of declared) {
      if (overload.member !== (style === 'member') || overload.params.length !== args.length) continue;
      const [returned, ...params] = this.#instantiate([overload.result, ...overload.params]);
      if (!this.#assign(args, params)) continue;
      candidates.push(overload);
      const type = this.#substitution.apply(returned!);
      result = result === undefined || isSameType(result, type) ? type : DYN;
    }
    if (result === undefined) return this.#noOverload(expr, name, args, style);
    this.#overloads.set(expr, candidates);
    return result;
  }

  /** Each argument is complained of by itself, not the call as a whole. */
  #logic(expr: CallExpr, args: readonly CelType[]): CelType {
    const wrong = args.filter((type, i) => {
      const fits = this.#assign([type], [BOOL]);
      if (!fits) this.#mismatch(expr.args[i]!, BOOL, type);
      return !fits;
    });
    return wrong.length === 0 ? BOOL : ERROR;
  }

  #noOverload(expr: CallExpr, name: string, args: readonly CelType[], style: 'global' | 'member'): CelType {
    const types = args.map((type) => formatType(this.#substitution.apply(type, 'dyn')));
    const receiver = style === 'member' ? `${types.shift()}.` : '';
    return this.#report(expr, `found no matching overload for '${name}' applied to '${receiver}(${types.join(', ')})'`);
  }

  /** The types of a signature with parameters of their own. */
  #instantiate(types: readonly CelType[]): readonly CelType[] {
    const params = new Set(types.flatMap(paramNames));
    if (params.size === 0) return types;
    const renaming = new Substitution([...params].map((name) => [name, this.#fresh()]));
    return types.map((type) => renaming.apply(type));
  }

  #element({ value, optional }: Element): CelType {
    const type = this.#check(value);
    if (!optional) return type;
    const unwrapped = unwrapOptional(type);
    if (!unwrapped.optional && type.kind !== 'dyn') this.#mismatch(value, optionalOf(type), type);
    return unwrapped.type;
  }

  #map(entries: Extract<Expr, { kind: 'map' }>['entries']): CelType {
    const types = entries.map((entry) => [this.#check(entry.key), this.#element(entry)] as const);
    return mapOf(this.#join(types.map(([key]) => key)), this.#join(types.map(([, value]) => value)));
  }

  /** The type of the elements of a literal: `dyn` where they have nothing in common, to be refused later on. */
  #join(types: readonly CelType[]): CelType {
    if (types.length === 0) return this.#fresh();
    return types.reduce((joined, type) => (this.#assign([joined], [type]) ? mostGeneral(joined, type) : DYN));
  }

  #fold(expr: FoldExpr): CelType {
    const range = this.#substitution.apply(this.#check(expr.range));
    const accumulated = this.#check(expr.init);
    return this.#scoped([[ACCUMULATOR, accumulated]], () => {
      this.#scoped(this.#iterated(expr, range), () => {
        this.#assert(expr.condition, BOOL);
        this.#assert(expr.step, accumulated);
      });
      return this.#substitution.apply(this.#check(expr.result));
    });
  }

  #assert(expr: Expr, type: CelType): void {
    const found = this.#check(expr);
    if (!this.#assign([type], [found])) this.#mismatch(expr, type, found);
  }

  /** One variable is the element of a list or the key of a map; two are index and element, or key and value. */
  #iterated({ range: expr, variables }: FoldExpr, range: CelType): readonly (readonly [string, CelType])[] {
    const [first, second] = this.#rangeTypes(expr, range);
    if (variables.length === 2)
      return [
        [variables[0], first],
        [variables[1], second],
      ];
    return [[variables[0], range.kind === 'list' ? second : first]];
  }

  #rangeTypes(expr: Expr, range: CelType): readonly [CelType, CelType] {
    if (range.kind === 'list') return [INT, range.params[0]!];
    if (range.kind === 'map') return [range.params[0]!, range.params[1]!];
    if (range.kind === 'dyn' || range.kind === 'error' || range.kind === 'param') {
      this.#assign([DYN], [range]);
      return [DYN, DYN];
    }
    const problem = 'cannot be range of a comprehension (must be list, map, or dynamic)';
    this.#report(expr, `expression of type '${formatType(range)}' ${problem}`);
    return [ERROR, ERROR];
  }

  #bind(expr: BindExpr): CelType {
    const value = this.#check(expr.value);
    return this.#scoped([[expr.name, value]], () => this.#substitution.apply(this.#check(expr.body)));
  }

  #scoped<T>(variables: readonly (readonly [string, CelType])[], run: () => T): T {
    const hidden = variables.map(([name]) => [name, this.#variables.get(name)] as const);
    for (const [name, type] of variables) this.#variables.set(name, type);
    const result = run();
    for (const [name, type] of hidden) {
      if (type === undefined) this.#variables.delete(name);
      else this.#variables.set(name, type);
    }
    return result;
  }
}

function literalType(value: Scalar): CelType {
  return parseType(value === null ? 'null' : typeNameOf(value));
}

function unwrapOptional(type: CelType): { type: CelType; optional: boolean } {
  return type.name === 'optional_type' ? { type: type.params[0]!, optional: true } : { type, optional: false };
}

function paramNames(type: CelType): readonly string[] {
  return type.kind === 'param' ? [type.name] : type.params.flatMap(paramNames);
}
