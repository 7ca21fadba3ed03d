import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findDouble, formatDouble, formatFixed, formatScientific } from './number-text.ts';

const double = fc.double({ noNaN: true, noDefaultInfinity: true });

test('a double is printed with the digits it takes to read it back', () => {
  fc.assert(
    fc.property(double, (value) => {
      assert.equal(findDouble(formatDouble(value)), value);
      assert.equal(Number(formatFixed(value)), value);
    }),
  );
});

test('exponents begin where they do in Go', () => {
  assert.deepEqual([99999, 1e5, 999999, 1e6, 1e-4, 1e-5, -0].map(formatDouble), [
    '99999',
    '100000',
    '999999',
    '1e+06',
    '0.0001',
    '1e-05',
    '-0',
  ]);
});

test('digits before the exponent are rounded, which may raise the exponent', () => {
  assert.deepEqual(formatScientific(1000000.5, 6), { mantissa: '1.000000', power: 6 });
  assert.deepEqual(formatScientific(9999999.9, 6), { mantissa: '1.000000', power: 7 });
  assert.deepEqual(formatScientific(0, 6), { mantissa: '0.000000', power: 0 });
});

test('numbers are read as Go reads them', () => {
  assert.deepEqual(['1_000', '0x1p-2', '.5', '1.', 'inf', '-Infinity', '+1e3'].map(findDouble), [
    1000,
    0.25,
    0.5,
    1,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    1000,
  ]);
  for (const text of ['', '.', ' 1', '1 ', '0x10', '1__0', '_1', '1e400', '+nan', 'e5', '0b1']) {
    assert.equal(findDouble(text), undefined, text);
  }
});
