import { ACCUMULATOR, type BindExpr, type CallExpr, type Element, type Expr, type FoldExpr } from './ast.ts';
import { SyntaxIssue } from './lexer.ts';

/** A call written as a method: macros have a receiver, except `has`. */
type Method = CallExpr & { readonly target: Expr };

type Macro = (call: Method) => Expr;

/** Macros of methods, by name and number of arguments. */
const MACROS: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  ['all/2', (call) => all(call, [simpleName(call.args[0]!)], call.args[1]!)],
  ['all/3', (call) => all(call, twoNames(call), call.args[2]!)],
  ['exists/2', (call) => exists(call, [simpleName(call.args[0]!)], call.args[1]!)],
  ['exists/3', (call) => exists(call, twoNames(call), call.args[2]!)],
  ['exists_one/2', (call) => existsOne(call, [simpleName(call.args[0]!)], call.args[1]!)],
  ['exists_one/3', (call) => existsOne(call, twoNames(call), call.args[2]!)],
  ['existsOne/3', (call) => existsOne(call, twoNames(call), call.args[2]!)],
  ['map/2', (call) => map(call, call.target)],
  ['map/3', (call) => map(call, call.target)],
  ['filter/2', filter],
  ['transformList/3', transformList],
  ['transformList/4', transformList],
  ['transformMap/3', transformMap],
  ['transformMap/4', transformMap],
  ['transformMapEntry/3', transformMapEntry],
  ['transformMapEntry/4', transformMapEntry],
  ['sortBy/2', sortBy],
  ['optMap/2', (call) => optMap(call, (body) => global(call, 'optional.of', body))],
  ['optFlatMap/2', (call) => optMap(call, (body) => body)],
]);

/** The call itself, or what it stands for where it is a macro. Throws SyntaxIssue on arguments no macro takes. */
export function expandMacro(call: CallExpr): Expr {
  if (call.target === undefined) return call.name === 'has' && call.args.length === 1 ? has(call) : call;
  const macro = MACROS.get(`${call.name}/${call.args.length}`);
  return macro === undefined ? call : macro({ ...call, target: call.target });
}

type Variables = FoldExpr['variables'];

function has({ pos, args: [argument] }: CallExpr): Expr {
  if (argument?.kind !== 'select' || argument.mode !== 'get') {
    throw new SyntaxIssue(argument!.pos, 'invalid argument to has() macro');
  }
  return { ...argument, pos, mode: 'test' };
}

function all(call: Method, variables: Variables, predicate: Expr): Expr {
  const accu = accumulator(call);
  return fold(call, variables, {
    init: literal(call, true),
    condition: global(call, '@not_strictly_false', accu),
    step: global(call, '_&&_', accu, predicate),
  });
}

function exists(call: Method, variables: Variables, predicate: Expr): Expr {
  const accu = accumulator(call);
  return fold(call, variables, {
    init: literal(call, false),
    condition: global(call, '@not_strictly_false', global(call, '!_', accu)),
    step: global(call, '_||_', accu, predicate),
  });
}

function existsOne(call: Method, variables: Variables, predicate: Expr): Expr {
  const accu = accumulator(call);
  return fold(call, variables, {
    init: literal(call, 0n),
    step: global(call, '_?_:_', predicate, global(call, '_+_', accu, literal(call, 1n)), accu),
    result: global(call, '_==_', accu, literal(call, 1n)),
  });
}

function map(call: Method, range: Expr): Expr {
  const variable = identifier(call.args[0]!);
  const step = global(call, '@append', accumulator(call), call.args.at(-1)!);
  return fold({ ...call, target: range }, [variable], { init: emptyList(call), step: guarded(call, 1, step) });
}

function filter(call: Method): Expr {
  const variable = identifier(call.args[0]!);
  const step = global(call, '@append', accumulator(call), call.args[0]!);
  return fold(call, [variable], {
    init: emptyList(call),
    step: global(call, '_?_:_', call.args[1]!, step, accumulator(call)),
  });
}

function transformList(call: Method): Expr {
  const step = global(call, '@append', accumulator(call), call.args.at(-1)!);
  return fold(call, twoNames(call), { init: emptyList(call), step: guarded(call, 2, step) });
}

function transformMap(call: Method): Expr {
  const [key, value] = twoNames(call);
  const step = global(call, 'cel.@mapInsert', accumulator(call), ident(call, key), call.args.at(-1)!);
  return fold(call, [key, value], { init: emptyMap(call), step: guarded(call, 2, step) });
}

function transformMapEntry(call: Method): Expr {
  const step = global(call, 'cel.@mapInsert', accumulator(call), call.args.at(-1)!);
  return fold(call, twoNames(call), { init: emptyMap(call), step: guarded(call, 2, step) });
}

/** Sorts by the keys a `map` over the same list gives. */
function sortBy(call: Method): Expr {
  if (call.target.kind === 'literal' || call.target.kind === 'map') {
    const problem = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    throw new SyntaxIssue(call.target.pos, problem);
  }
  const input = ident(call, '@input');
  const sorted: Expr = {
    kind: 'call',
    pos: call.pos,
    name: '@sortByAssociatedKeys',
    target: input,
    args: [map(call, input)],
  };
  return bind(call, '@input', call.target, sorted);
}

/** `target.optMap(x, body)`: body with `x` standing for what the target holds, or nothing where it holds nothing. */
function optMap(call: Method, wrap: (body: Expr) => Expr): Expr {
  const [name, body] = call.args as [Expr, Expr];
  if (name.kind !== 'ident') {
    throw new SyntaxIssue(name.pos, `${call.name}() variable name must be a simple identifier`);
  }
  const target = ident(call, '@target');
  const method = (method: string): Expr => ({ kind: 'call', pos: call.pos, name: method, target, args: [] });
  const present = wrap(bind(call, name.name, method('value'), body));
  const choice = global(call, '_?_:_', method('hasValue'), present, global(call, 'optional.none'));
  return bind(call, '@target', call.target, choice);
}

/** The step under the filter at `index`, where the macro was given one before its last argument. */
function guarded(call: Method, index: number, step: Expr): Expr {
  if (call.args.length === index + 1) return step;
  return global(call, '_?_:_', call.args[index]!, step, accumulator(call));
}

interface FoldParts {
  readonly init: Expr;
  readonly condition?: Expr;
  readonly step: Expr;
  readonly result?: Expr;
}

function fold(call: Method, variables: Variables, parts: FoldParts): Expr {
  const { condition = literal(call, true), result = accumulator(call) } = parts;
  return { kind: 'fold', pos: call.pos, range: call.target, variables, ...parts, condition, result };
}

function bind({ pos }: CallExpr, name: string, value: Expr, body: Expr): BindExpr {
  return { kind: 'bind', pos, name, value, body };
}

function twoNames(call: Method): [string, string] {
  const [first, second] = [simpleName(call.args[0]!), simpleName(call.args[1]!)];
  if (first === second) throw new SyntaxIssue(call.args[1]!.pos, `duplicate variable name: ${first}`);
  return [first, second];
}

function simpleName(expr: Expr): string {
  return variableName(expr, 'argument must be a simple name');
}

function identifier(expr: Expr): string {
  return variableName(expr, 'argument is not an identifier');
}

/** cel-go accumulates in a variable of that name. */
const RESERVED_VARIABLE = '__result__';

function variableName(expr: Expr, problem: string): string {
  if (expr.kind !== 'ident') throw new SyntaxIssue(expr.pos, problem);
  if (expr.name !== RESERVED_VARIABLE) return expr.name;
  throw new SyntaxIssue(expr.pos, 'iteration variable overwrites accumulator variable');
}

function global({ pos }: CallExpr, name: string, ...args: Expr[]): Expr {
  return { kind: 'call', pos, name, args };
}

function literal({ pos }: CallExpr, value: boolean | bigint): Expr {
  return { kind: 'literal', pos, value };
}

function ident({ pos }: CallExpr, name: string): Expr {
  return { kind: 'ident', pos, name };
}

const accumulator = (call: CallExpr): Expr => ident(call, ACCUMULATOR);

const NO_ELEMENTS: readonly Element[] = [];

const emptyList = ({ pos }: CallExpr): Expr => ({ kind: 'list', pos, elements: NO_ELEMENTS });

const emptyMap = ({ pos }: CallExpr): Expr => ({ kind: 'map', pos, entries: [] });
