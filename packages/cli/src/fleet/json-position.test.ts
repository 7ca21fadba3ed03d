import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldPath } from '@karpenter-ts/apis';
import fc from 'fast-check';
import { findSyntaxError, locateFields } from './json-position.ts';

const locate = (text: string, path: FieldPath) => locateFields(text, [path])[0];

test('a field is located at its name, an item at its value', () => {
  const text = '{\n  "a": 1,\n  "pods": [\n    {"name": "x"},\n    { "name" : [1, 2] }\n  ]\n}';
  assert.deepEqual(locate(text, ['pods']), { line: 3, column: 3 });
  assert.deepEqual(locate(text, ['pods', 1]), { line: 5, column: 5 });
  assert.deepEqual(locate(text, ['pods', 1, 'name']), { line: 5, column: 7 });
  assert.deepEqual(locate(text, ['pods', 1, 'name', 1]), { line: 5, column: 20 });
});

test('of a missing field the nearest parent is located', () => {
  const text = '{"pods": [{"spec": {}}, {"spec": {}}], "other": {"b": 1}}';
  assert.deepEqual(locate(text, ['pods', 1, 'spec', 'b']), { line: 1, column: 26 });
  assert.deepEqual(locate(text, ['none', 'b']), { line: 1, column: 1 });
});

test('of many fields each is located, also those within one another', () => {
  const text = '{"a": [{"b": 1}, {"b": 2}],\n "c": {"b": 3}}';
  assert.deepEqual(locateFields(text, [['c', 'b'], ['a', 1], ['a', 1, 'b'], ['a', 0, 'c'], []]), [
    { line: 2, column: 8 },
    { line: 1, column: 18 },
    { line: 1, column: 19 },
    { line: 1, column: 8 },
    { line: 1, column: 1 },
  ]);
});

test('a name with escapes is found by what it means', () => {
  assert.deepEqual(locate(String.raw`{"\u0061\n": true}`, ['a\n']), { line: 1, column: 2 });
});

test('a syntax error is where the first wrong character stands', () => {
  const wrong: readonly (readonly [string, number, number])[] = [
    ['', 1, 1],
    ['hello', 1, 1],
    ['{"a": 1,}', 1, 9],
    ['{"a": 1\n "b": 2}', 2, 2],
    ['[1, 2', 1, 6],
    ['[1, 02]', 1, 6],
    ['{"a": "b\n"}', 1, 7],
    ['{} {}', 1, 4],
    ["{'a': 1}", 1, 2],
  ];
  for (const [text, line, column] of wrong) assert.deepEqual(findSyntaxError(text), { line, column }, text);
});

test('whatever JSON can be written is free of syntax errors, and what is cut off is not', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      assert.equal(findSyntaxError(text), undefined);
      assert.equal(findSyntaxError(`\n\t${JSON.stringify(JSON.parse(text), undefined, 2)}\r\n`), undefined);
      if (/^[[{"]/.test(text)) assert.notEqual(findSyntaxError(text.slice(0, -1)), undefined);
    }),
  );
});

test('a hostile depth is refused, not a stack overflow', () => {
  assert.equal(findSyntaxError('['.repeat(1_000_000))?.line, 1);
});
