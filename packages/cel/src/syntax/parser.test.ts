import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Expr } from './ast.ts';
import { renderIssues } from './issue.ts';
import { SyntaxIssue } from './lexer.ts';
import { parse } from './parser.ts';

/** An expression without positions. */
function shape(source: string): unknown {
  return JSON.parse(
    JSON.stringify(parse(source), (key, value: unknown) =>
      key === 'pos' ? undefined : typeof value === 'bigint' ? `${value}` : value,
    ),
  );
}

function issueOf(source: string): string {
  try {
    parse(source);
  } catch (error) {
    if (error instanceof SyntaxIssue) return error.issue.message;
    throw error;
  }
  return 'none';
}

test('operators bind as CEL says', () => {
  const same: Readonly<Record<string, string>> = {
    'a || b && c': 'a || (b && c)',
    'a && b == c': 'a && (b == c)',
    'a < b + c': 'a < (b + c)',
    'a - b - c': '(a - b) - c',
    'a + b * c % d': 'a + ((b * c) % d)',
    'a ? b : c ? d : e': 'a ? b : (c ? d : e)',
    '!a.b[c].d': '!(((a.b)[c]).d)',
    '-a.b': '-(a.b)',
    '!!a': 'a',
    'a in b && c': '(a in b) && c',
  };
  for (const [source, grouped] of Object.entries(same)) assert.deepEqual(shape(source), shape(grouped), source);
});

test('literals mean what they say', () => {
  const value = (source: string): unknown => (parse(source) as Extract<Expr, { kind: 'literal' }>).value;
  assert.equal(value('-9223372036854775808'), -(2n ** 63n));
  assert.equal(value('0x1F'), 31n);
  assert.equal(value('.5e1'), 5);
  assert.equal(value(String.raw`'\u00e9\x41\101\n\\'`), 'éAA\n\\');
  assert.equal(value(String.raw`r'\d'`), String.raw`\d`);
  assert.equal(value('"""a\n"b" c"""'), 'a\n"b" c');
  assert.deepEqual(value(String.raw`b'\xff\377é'`), Buffer.from([255, 255, 0xc3, 0xa9]));
});

test('optional elements and entries are read', () => {
  assert.deepEqual(shape('[?a, b]'), {
    kind: 'list',
    elements: [
      { value: { kind: 'ident', name: 'a' }, optional: true },
      { value: { kind: 'ident', name: 'b' }, optional: false },
    ],
  });
  assert.equal((shape('{?a: b}') as { entries: { optional: boolean }[] }).entries[0]!.optional, true);
});

test('what is no expression is refused with the place', () => {
  assert.equal(issueOf('a b'), "Syntax error: extraneous input 'b' expecting <EOF>");
  assert.equal(issueOf('(a'), "Syntax error: missing ')' at '<EOF>'");
  assert.equal(issueOf('for'), 'reserved identifier: for');
  assert.equal(issueOf('9223372036854775808'), 'invalid int literal');
  assert.equal(issueOf(String.raw`'\ud800'`), 'invalid unicode code point');
  assert.equal(issueOf('has(a)'), 'invalid argument to has() macro');
  assert.equal(issueOf('a.all(b.c, true)'), 'argument must be a simple name');
  assert.equal(renderIssues('a &&\n  é $', [{ pos: 9, message: 'm' }]), 'ERROR: <input>:2:5: m\n |   é $\n | ..．.^');
});

test('reading takes time in proportion to the text', () => {
  const start = performance.now();
  parse(`[${'1,'.repeat(49_000)}]`);
  parse(`a ${'|| b.c[d] == "e" '.repeat(5000)}`);
  for (const quote of ['"', "'", '"""']) assert.notEqual(issueOf(quote + '\\'.repeat(99_000)), 'none');
  assert.ok(performance.now() - start < 2000);
});
