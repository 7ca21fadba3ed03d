import type { Issue } from './issue.ts';

/** The kind of a token; a mark (operator, bracket, keyword) is its own kind. */
type TokenKind = 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'ident' | 'escaped' | 'mark' | 'eof';

/** A piece of an expression, and where it stands in it. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly pos: number;
}

/** The text is no expression. Carries everything that is wrong with it; parsing stops at the first. */
export class SyntaxIssue extends Error {
  override readonly name = 'SyntaxIssue';
  readonly issue: Issue;

  constructor(pos: number, message: string) {
    super(message);
    this.issue = { pos, message };
  }
}

const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?\x60]|[0-3][0-7]{2}|[xX][\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})`;
const COOKED = [
  `"""(?:${ESCAPE}|[^\\\\])*?"""`,
  `'''(?:${ESCAPE}|[^\\\\])*?'''`,
  `"(?:${ESCAPE}|[^\\\\"\\n\\r])*"`,
  `'(?:${ESCAPE}|[^\\\\'\\n\\r])*'`,
].join('|');
const RAW = `[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\\n\\r]*"|'[^'\\n\\r]*')`;

const KINDS: readonly (readonly [TokenKind | 'blank', string])[] = [
  ['blank', String.raw`[\t \r\n\f]+|//[^\n]*`],
  ['double', String.raw`\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?`],
  ['uint', String.raw`(?:0x[\da-fA-F]+|\d+)[uU]`],
  ['int', String.raw`0x[\da-fA-F]+|\d+`],
  ['bytes', `[bB](?:${COOKED}|${RAW})`],
  ['string', `${COOKED}|${RAW}`],
  ['mark', String.raw`(?:in|true|false|null)\b|==|!=|<=|>=|&&|\|\||[<>[\]{}().,!?:+*/%-]`],
  ['ident', String.raw`[A-Za-z_]\w*`],
  ['escaped', String.raw`\x60[\w.\-/ ]+\x60`],
];

const TOKEN = new RegExp(KINDS.map(([, pattern]) => `(${pattern})`).join('|'), 'y');

/** Splits an expression into tokens; the last is always `eof`. Throws SyntaxIssue at the first character of none. */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let pos = 0;
  while (pos < source.length) {
    TOKEN.lastIndex = pos;
    const match = TOKEN.exec(source);
    if (match === null) throw unrecognized(source, pos);
    const [kind] = KINDS[match.slice(1).findIndex((group) => group !== undefined)]!;
    if (kind !== 'blank') tokens.push({ kind, text: match[0], pos });
    pos = TOKEN.lastIndex;
  }
  return [...tokens, { kind: 'eof', text: '<EOF>', pos: source.length }];
}

/** A string that does not end is shown up to the end of its line, any other stray as one character. */
function unrecognized(source: string, pos: number): SyntaxIssue {
  const [shown] = /^(?:[bB]?[rR]?["'][^\n\r]*|[^])/u.exec(source.slice(pos))!;
  return new SyntaxIssue(pos, `Syntax error: token recognition error at: '${shown}'`);
}
