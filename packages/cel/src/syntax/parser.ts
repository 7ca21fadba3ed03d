import { RESERVED_WORDS } from '../escaping.ts';
import { type CallExpr, type Element, type Entry, type Expr, qualifiedName } from './ast.ts';
import { SyntaxIssue, type Token, tokenize } from './lexer.ts';
import { parseBytes, parseDouble, parseInt, parseString, parseUint } from './literal.ts';
import { expandMacro } from './macros.ts';

const MAX_LENGTH = 100_000; // code points; cel-go's default, and our cap on the length of a rule
const MAX_DEPTH = 250; // cel-go's default

const RELATIONS = new Set(['<', '<=', '>=', '>', '==', '!=', 'in']);
const SUMS = new Set(['+', '-']);
const PRODUCTS = new Set(['*', '/', '%']);

/** What can begin an operand, as cel-go's grammar lists it. */
const OPERAND =
  "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";

/** Reads an expression and expands its macros. Throws SyntaxIssue at the first thing that is wrong. */
export function parse(source: string): Expr {
  if (source.length > MAX_LENGTH) {
    const size = [...source].length;
    if (size > MAX_LENGTH) {
      throw new SyntaxIssue(0, `expression code point size exceeds limit: size: ${size}, limit ${MAX_LENGTH}`);
    }
  }
  return new Parser(tokenize(source)).parse();
}

/** Recursive descent over the tokens; each method reads one rule of CEL's grammar. */
class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Expr {
    const expr = this.#expr();
    if (this.#token.kind !== 'eof') throw this.#unexpected('extraneous input', '<EOF>');
    return expr;
  }

  /** `a || b ? c : d` */
  #expr(): Expr {
    this.#enter();
    const condition = this.#chain('||', () => this.#chain('&&', () => this.#relation()));
    const question = this.#accept('?');
    let expr = condition;
    if (question !== undefined) {
      const whenTrue = this.#chain('||', () => this.#chain('&&', () => this.#relation()));
      this.#expect(':', "':'");
      expr = operation('_?_:_', question, condition, whenTrue, this.#expr());
    }
    this.#depth--;
    return expr;
  }

  /** Terms of `&&` or `||`, as a balanced tree: their order does not matter, and a long chain must not nest deeply. */
  #chain(operator: '&&' | '||', term: () => Expr): Expr {
    const terms = [term()];
    const operators: Token[] = [];
    for (let token = this.#accept(operator); token !== undefined; token = this.#accept(operator)) {
      operators.push(token);
      terms.push(term());
    }
    const tree = (from: number, to: number): Expr => {
      if (from === to) return terms[from]!;
      const middle = (from + to) >> 1;
      return operation(`_${operator}_`, operators[middle]!, tree(from, middle), tree(middle + 1, to));
    };
    return tree(0, operators.length);
  }

  #relation(): Expr {
    return this.#binary(RELATIONS, () => this.#binary(SUMS, () => this.#binary(PRODUCTS, () => this.#unary())));
  }

  #binary(operators: ReadonlySet<string>, operand: () => Expr): Expr {
    const depth = this.#depth;
    let left = operand();
    while (this.#token.kind === 'mark' && operators.has(this.#token.text)) {
      this.#enter();
      const token = this.#advance();
      left = operation(token.text === 'in' ? '@in' : `_${token.text}_`, token, left, operand());
    }
    this.#depth = depth;
    return left;
  }

  #unary(): Expr {
    const sign = this.#token;
    if (!this.#is('!') && !this.#is('-')) return this.#member(this.#primary());
    let count = 0;
    while (this.#is(sign.text)) {
      this.#advance();
      count++;
    }
    const isNumber = this.#token.kind === 'int' || this.#token.kind === 'double';
    if (sign.text === '-' && count === 1 && isNumber) return this.#member(this.#number(sign));
    const operand = this.#member(this.#primary());
    return count % 2 === 0 ? operand : operation(`${sign.text}_`, sign, operand);
  }

  #member(primary: Expr): Expr {
    const depth = this.#depth;
    let expr = primary;
    for (;;) {
      this.#enter();
      if (this.#is('.')) expr = this.#selection(expr);
      else if (this.#is('[')) expr = this.#index(expr);
      else if (this.#is('{') && qualifiedName(expr) !== undefined) expr = this.#message(expr);
      else break;
    }
    this.#depth = depth;
    return expr;
  }

  /** `.field`, `.?field` or `.method(…)` */
  #selection(operand: Expr): Expr {
    const dot = this.#advance();
    const optional = this.#accept('?') !== undefined;
    if (this.#token.kind === 'escaped') throw new SyntaxIssue(this.#token.pos, "unsupported syntax: '`'");
    if (this.#token.kind !== 'ident') {
      const shown = this.#token.kind === 'eof' ? '.' : `.${this.#token.text}`;
      throw new SyntaxIssue(this.#token.pos, `Syntax error: no viable alternative at input '${shown}'`);
    }
    const field = this.#advance().text;
    if (!optional && this.#is('(')) return this.#call(field, operand);
    return { kind: 'select', pos: dot.pos, operand, field, mode: optional ? 'optional' : 'get' };
  }

  #index(operand: Expr): Expr {
    const bracket = this.#advance();
    const name = this.#accept('?') === undefined ? '_[_]' : '_[?_]';
    const index = this.#expr();
    this.#expect(']', "']'");
    return operation(name, bracket, operand, index);
  }

  /** `Type{field: value}`: CRDs have no message types, but the values are read so that their errors are found. */
  #message(type: Expr): Expr {
    const brace = this.#advance();
    while (!this.#is('}')) {
      this.#accept('?');
      if (this.#token.kind !== 'ident') throw this.#unexpected('mismatched input', 'IDENTIFIER');
      this.#advance();
      this.#expect(':', "':'");
      this.#expr();
      if (this.#accept(',') === undefined) break;
    }
    this.#expect('}', "{'}', ','}");
    return { kind: 'message', pos: brace.pos, name: qualifiedName(type)! };
  }

  #primary(): Expr {
    const token = this.#token;
    switch (token.kind) {
      case 'int':
      case 'double':
        return this.#number();
      case 'uint':
        return this.#literal(parseUint(token));
      case 'string':
        return this.#literal(parseString(token));
      case 'bytes':
        return this.#literal(parseBytes(token));
      case 'ident':
        return this.#identifier();
      case 'mark':
      case 'escaped':
      case 'eof':
        return this.#marked(token.text);
      default:
        return token.kind satisfies never;
    }
  }

  /** An operand that begins with a mark. */
  #marked(mark: string): Expr {
    switch (mark) {
      case 'true':
      case 'false':
        return this.#literal(mark === 'true');
      case 'null':
        return this.#literal(null);
      case '.':
        this.#advance();
        if (this.#token.kind === 'ident') return this.#identifier();
        throw this.#unexpected('mismatched input', 'IDENTIFIER');
      case '(':
        return this.#nested();
      case '[':
        return this.#list();
      case '{':
        return this.#map();
      default:
        throw this.#noOperand(`{${OPERAND}}`);
    }
  }

  /** One token too many is called extraneous, as cel-go's parser goes on without it. */
  #noOperand(expected: string): SyntaxIssue {
    const after = this.#tokens[this.#next + 1];
    const couldGoOn =
      after !== undefined && after.kind !== 'eof' && (after.kind !== 'mark' || /^[[{(.!-]$/.test(after.text));
    return this.#unexpected(couldGoOn ? 'extraneous input' : 'mismatched input', expected);
  }

  #number(sign?: Token): Expr {
    const token = this.#advance();
    const text = sign === undefined ? '' : '-';
    const value = token.kind === 'int' ? parseInt(token, text) : parseDouble(token, text);
    return { kind: 'literal', pos: (sign ?? token).pos, value };
  }

  #literal(value: Extract<Expr, { kind: 'literal' }>['value']): Expr {
    return { kind: 'literal', pos: this.#advance().pos, value };
  }

  #identifier(): Expr {
    const token = this.#advance();
    if (RESERVED_WORDS.has(token.text)) throw new SyntaxIssue(token.pos, `reserved identifier: ${token.text}`);
    return this.#is('(') ? this.#call(token.text) : { kind: 'ident', pos: token.pos, name: token.text };
  }

  #call(name: string, target?: Expr): Expr {
    const { pos } = this.#advance();
    const args: Expr[] = [];
    if (!this.#is(')')) {
      if (!startsOperand(this.#token))
        throw this.#unexpected('mismatched input', `{${OPERAND.replace("'.'", "')', '.'")}}`);
      do args.push(this.#expr());
      while (this.#accept(',') !== undefined);
    }
    this.#expect(')', "{')', ','}");
    const call: CallExpr = { kind: 'call', pos, name, args };
    return expandMacro(target === undefined ? call : { ...call, target });
  }

  #nested(): Expr {
    this.#advance();
    const expr = this.#expr();
    if (this.#accept(')') !== undefined) return expr;
    throw new SyntaxIssue(this.#token.pos, `Syntax error: missing ')' at '${this.#token.text}'`);
  }

  #list(): Expr {
    const { pos } = this.#advance();
    const elements: Element[] = [];
    while (!this.#is(']')) {
      const optional = this.#accept('?') !== undefined;
      elements.push({ value: this.#expr(), optional });
      if (this.#accept(',') === undefined) break;
    }
    this.#expect(']', "{']', ','}");
    return { kind: 'list', pos, elements };
  }

  #map(): Expr {
    const { pos } = this.#advance();
    const entries: Entry[] = [];
    while (!this.#is('}')) {
      const optional = this.#accept('?') !== undefined;
      const key = this.#expr();
      this.#expect(':', "':'");
      entries.push({ key, value: this.#expr(), optional });
      if (this.#accept(',') === undefined) break;
    }
    this.#expect('}', "{'}', ','}");
    return { kind: 'map', pos, entries };
  }

  get #token(): Token {
    return this.#tokens[this.#next]!;
  }

  #advance(): Token {
    return this.#tokens[this.#next++]!;
  }

  #is(mark: string): boolean {
    return this.#token.kind === 'mark' && this.#token.text === mark;
  }

  #accept(mark: string): Token | undefined {
    return this.#is(mark) ? this.#advance() : undefined;
  }

  #expect(mark: string, expected: string): void {
    if (this.#accept(mark) === undefined) throw this.#unexpected('mismatched input', expected);
  }

  #unexpected(problem: string, expected: string): SyntaxIssue {
    const { pos, text } = this.#token;
    return new SyntaxIssue(pos, `Syntax error: ${problem} '${text}' expecting ${expected}`);
  }

  #enter(): void {
    if (++this.#depth > MAX_DEPTH) {
      throw new SyntaxIssue(this.#token.pos, `expression recursion limit exceeded: ${MAX_DEPTH}`);
    }
  }
}

function startsOperand(token: Token | undefined): boolean {
  if (token === undefined || token.kind === 'eof' || token.kind === 'escaped') return false;
  return token.kind !== 'mark' || /^(?:[[{(.!-]|true|false|null)$/.test(token.text);
}

function operation(name: string, { pos }: Token, ...args: Expr[]): Expr {
  return { kind: 'call', pos, name, args };
}
