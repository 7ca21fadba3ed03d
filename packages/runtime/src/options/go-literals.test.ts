import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBool, parseDecimal, parseFloatLiteral, parseIntegerLiteral } from './go-literals.ts';

const BAD = 'parse error';

test('integers on the command line follow Go literals', () => {
  const cases: Readonly<Record<string, number | string>> = {
    '0': 0,
    '00': 0,
    '017': 15,
    '0_7': 7,
    '0o17': 15,
    '0x_1': 1,
    '-0x10': -16,
    '0b11': 3,
    '+5': 5,
    '1_000': 1000,
    '08': BAD,
    '0x': BAD,
    '1__2': BAD,
    _1: BAD,
    '1_': BAD,
    '1.0': BAD,
    ' 1': BAD,
    '': BAD,
    '-9223372036854775808': -(2 ** 63),
    '9223372036854775808': 'value out of range',
  };
  for (const [text, value] of Object.entries(cases)) assert.equal(parseIntegerLiteral(text), value, text);
});

test('integers in variables are plain decimal', () => {
  assert.equal(parseDecimal('017'), 17);
  assert.equal(parseDecimal('-3'), -3);
  for (const text of ['0x10', '1_000', '', '1 ', '1e3']) assert.equal(parseDecimal(text), BAD, text);
  assert.equal(parseDecimal('9'.repeat(30)), 'value out of range');
});

test('numbers with a fraction follow Go', () => {
  const cases: Readonly<Record<string, number | string>> = {
    '.5': 0.5,
    '5.': 5,
    '-1e3': -1000,
    '1_000.5': 1000.5,
    inf: Infinity,
    '-Infinity': -Infinity,
    NaN: NaN,
    '1e400': 'value out of range',
    '1e': BAD,
    '.': BAD,
    '1__0': BAD,
    '1d': BAD,
    '': BAD,
  };
  for (const [text, value] of Object.entries(cases)) assert.equal(parseFloatLiteral(text), value, text);
});

test('Go has six words for each truth value', () => {
  for (const text of ['1', 't', 'T', 'TRUE', 'true', 'True']) assert.equal(findBool(text), true);
  for (const text of ['0', 'f', 'F', 'FALSE', 'false', 'False']) assert.equal(findBool(text), false);
  for (const text of ['yes', 'tRUE', '', 'on']) assert.equal(findBool(text), undefined);
});
