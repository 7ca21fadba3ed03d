import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileRe2, Re2Error } from './re2.ts';

test('a pattern matches anywhere in the text unless it is anchored', () => {
  assert.equal(compileRe2('b+').test('abbc'), true);
  assert.equal(compileRe2('^b+$').test('abbc'), false);
  assert.equal(compileRe2('^([^/]+)').find('karpenter.sh/nodepool'), 'karpenter.sh');
  assert.equal(compileRe2('z').find('abc'), undefined);
  assert.equal(compileRe2('z*').find('abc'), '');
});

test('the leftmost alternative wins, not the longest', () => {
  assert.equal(compileRe2('a|ab').find('ab'), 'a');
});

test('all matches are found as Go finds them, without empty ones that touch a match', () => {
  assert.deepEqual(compileRe2('a*').findAll('baac'), ['', 'aa', '']);
  assert.deepEqual(compileRe2('a|').findAll('aab'), ['a', 'a', '']);
  assert.deepEqual(compileRe2('').findAll('ab'), ['', '', '']);
  assert.deepEqual(compileRe2('.').findAll('é😀x'), ['é', '😀', 'x']);
  assert.deepEqual(compileRe2('[0-9]').findAll('1a2b3', 2), ['1', '2']);
});

test("a pattern that does not parse is refused with Go's words, every time", () => {
  const refusals: Readonly<Record<string, string>> = {
    '[': 'error parsing regexp: missing closing ]: `[`',
    '(?=a)': 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    '\\': 'error parsing regexp: trailing backslash at end of expression: ``',
    'x{1001}': 'error parsing regexp: invalid repeat count: `{1001}`',
    'a**': 'error parsing regexp: invalid nested repetition operator: `**`',
  };
  for (const [pattern, message] of Object.entries(refusals)) {
    for (let i = 0; i < 2; i++) assert.throws(() => compileRe2(pattern), new Re2Error(message));
  }
});

test('JavaScript and RE2 agree on patterns both know', () => {
  const pattern = fc
    .array(fc.constantFrom('a', 'b', '[ab]', 'a*', 'b+', '(ab)?', '.', '^', '$', '|'))
    .map((p) => p.join(''));
  fc.assert(
    fc.property(pattern, fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 }), (source, text) => {
      assert.equal(compileRe2(source).find(text), new RegExp(source).exec(text)?.[0]);
    }),
  );
});
