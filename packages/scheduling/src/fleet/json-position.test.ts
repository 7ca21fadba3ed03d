import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findSyntaxError, locateField } from './json-position.ts';

test('a field is located at its name, an item at its value', () => {
  const text = '{\n  "a": 1,\n  "pods": [\n    {"name": "x"},\n    { "name" : [1, 2] }\n  ]\n}';
  assert.deepEqual(locateField(text, ['pods']), { line: 3, column: 3 });
  assert.deepEqual(locateField(text, ['pods', 1]), { line: 5, column: 5 });
  assert.deepEqual(locateField(text, ['pods', 1, 'name']), { line: 5, column: 7 });
  assert.deepEqual(locateField(text, ['pods', 1, 'name', 1]), { line: 5, column: 20 });
});

test('of a missing field the nearest parent is located', () => {
  const text = '{"pods": [{"spec": {}}, {"spec": {}}], "other": {"b": 1}}';
  assert.deepEqual(locateField(text, ['pods', 1, 'spec', 'b']), { line: 1, column: 26 });
  assert.deepEqual(locateField(text, ['none', 'b']), { line: 1, column: 1 });
});

test('a name with escapes is found by what it means', () => {
  assert.deepEqual(locateField(String.raw`{"\u0061\n": true}`, ['a\n']), { line: 1, column: 2 });
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
