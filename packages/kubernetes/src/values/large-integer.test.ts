import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LargeInteger, parseExactJson } from './large-integer.ts';

test('every whole number of 64 bits is written as it was read', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      for (const text of [`{"a":${value}}`, `[1, ${value}]`, `{"a": [\n  ${value}\n]}`]) {
        assert.equal(JSON.stringify(parseExactJson(text)), text.replaceAll(/\s/g, ''));
      }
    }),
  );
});

test('everything else is read as JSON.parse reads it', () => {
  const digits = '6821555240594823858';
  for (const text of [
    `{"annotations":{"hash":"${digits}"}}`,
    '{"a":9007199254740991,"b":-9007199254740991}',
    '{"a":9223372036854775808,"b":12345678901234567890123}',
    '{"a":1234567890123456.5,"b":1234567890123456e3}',
    `{"a":"x,${digits}"}`,
  ]) {
    assert.deepEqual(parseExactJson(text), JSON.parse(text));
  }
  assert.throws(() => parseExactJson('{'), SyntaxError);
});

test('where it is computed with it counts as the nearest number', () => {
  const { a } = parseExactJson('{"a":9223372036854775807}') as { readonly a: number };
  assert.ok((a as unknown) instanceof LargeInteger);
  assert.equal(a * 2, 2 ** 64);
  assert.equal(Math.min(5, a), 5);
  assert.equal(`${a}`, '9223372036854775807');
});
