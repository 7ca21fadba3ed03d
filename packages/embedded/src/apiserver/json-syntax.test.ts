import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseJson } from './json-syntax.ts';

const asError = (problem: string) => new Error(problem);

test('what is wrong with a text is told in the words of Go’s decoder', () => {
  // Made with sigs.k8s.io/json, the real server's decoder.
  const golden = readFileSync(new URL('json-syntax.golden.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  for (const line of golden) {
    const [text, problem] = JSON.parse(line) as [string, string];
    assert.throws(() => parseJson(text, asError), new Error(problem), text);
  }
});

test('a well-formed text is its value', () => {
  assert.deepEqual(parseJson(' {"a": [1, null, "]}"]} ', asError), { a: [1, null, ']}'] });
});

test('a text that nests beyond reason is refused before anything recurses into it', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  assert.ok(parseJson(nested(1000), asError));
  assert.throws(() => parseJson(nested(1001), asError), new Error('exceeded max depth'));
  assert.throws(() => parseJson('['.repeat(100_000), asError), new Error('exceeded max depth'));
});

test('brackets within strings do not nest', () => {
  const text = JSON.stringify(['[{"\\'.repeat(2000)]);
  assert.ok(parseJson(text, asError));
});
