import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exponentialBuckets } from './buckets.ts';
import { formatFloat } from './text-format.ts';

// From strconv.FormatFloat(value, 'g', -1, 64).
const GO: readonly (readonly [number, string])[] = [
  [0, '0'],
  [-0, '0'],
  [1, '1'],
  [-1, '-1'],
  [0.1, '0.1'],
  [0.0001, '0.0001'],
  [0.00001, '1e-05'],
  [1.5e-7, '1.5e-07'],
  [5e-324, '5e-324'],
  [0.1 + 0.2, '0.30000000000000004'],
  [100000.5, '100000.5'],
  [999999.5, '999999.5'],
  [1e6, '1e+06'],
  [-1234567, '-1.234567e+06'],
  [1e20, '1e+20'],
  [Number.MAX_VALUE, '1.7976931348623157e+308'],
  [NaN, 'NaN'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
];

test('numbers are written as Go writes them', () => {
  for (const [value, text] of GO) assert.equal(formatFloat(value), text);
});

test('any number can be read back unchanged', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => Number(formatFloat(value)) === value),
  );
});

test('the buckets of work queues have the labels that Prometheus shows upstream', () => {
  assert.deepEqual(exponentialBuckets(10e-9, 10, 12).slice(0, 6).map(formatFloat), [
    '1e-08',
    '1e-07',
    '1e-06',
    '9.999999999999999e-06',
    '9.999999999999999e-05',
    '0.001',
  ]);
});
