import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findDouble, formatDouble, formatFixed, formatPlaces, formatScientific } from './number-text.ts';

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

test('decimals are rounded from the exact value, halves to even', () => {
  assert.equal(formatPlaces(2.5, 0), '2');
  assert.equal(formatPlaces(3.5, 0), '4');
  assert.equal(formatPlaces(0.125, 2), '0.12');
  assert.equal(formatPlaces(1.005, 2), '1.00'); // as a double it is below
  assert.equal(formatPlaces(1e22, 1), '10000000000000000000000.0');
  assert.deepEqual(formatScientific(1000000.5, 6), { mantissa: '1.000000', power: 6 });
  assert.deepEqual(formatScientific(9999999.9, 6), { mantissa: '1.000000', power: 7 });
  assert.deepEqual(formatScientific(0, 6), { mantissa: '0.000000', power: 0 });
});

test('rounding is off by half a unit of the last place at most', () => {
  const small = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(small, fc.nat({ max: 6 }), (value, places) => {
      assert.ok(Math.abs(Number(formatPlaces(value, places)) - value) <= 0.5000001 * 10 ** -places);
    }),
  );
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
