import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatPlaces } from './decimal-places.ts';

test('decimals are rounded from the exact value, halves to even', () => {
  assert.equal(formatPlaces(2.5, 0), '2');
  assert.equal(formatPlaces(3.5, 0), '4');
  assert.equal(formatPlaces(0.125, 2), '0.12');
  assert.equal(formatPlaces(1.005, 2), '1.00'); // as a double it is below
  assert.equal(formatPlaces(-0.001, 2), '-0.00');
  assert.equal(formatPlaces(1e22, 1), '10000000000000000000000.0');
});

test('what is not finite is printed as Go prints it', () => {
  assert.deepEqual(
    [Infinity, -Infinity, Number.NaN].map((value) => formatPlaces(value, 2)),
    ['+Inf', '-Inf', 'NaN'],
  );
});

test('rounding is off by half a unit of the last place at most', () => {
  const small = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(small, fc.nat({ max: 6 }), (value, places) => {
      assert.ok(Math.abs(Number(formatPlaces(value, places)) - value) <= 0.5000001 * 10 ** -places);
    }),
  );
});
