import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findDate, findTimestamp, Timestamp } from './timestamp.ts';

const YEAR_1 = -62_135_596_800_000_000_000n;
const YEAR_10000 = 253_402_300_800_000_000_000n;

test('a timestamp is printed so that it reads back, to the nanosecond and with its offset', () => {
  const nanos = fc.bigInt({ min: YEAR_1 + 10n ** 14n, max: YEAR_10000 - 10n ** 14n });
  fc.assert(
    fc.property(nanos, fc.integer({ min: -14 * 60, max: 14 * 60 }), (at, offset) => {
      assert.deepEqual(findTimestamp(new Timestamp(at, offset).toString()), new Timestamp(at, offset));
    }),
  );
});

test('only moments that exist are read', () => {
  assert.deepEqual(findTimestamp('1970-01-01T00:00:00.5+01:00'), new Timestamp(-3_599_500_000_000n, 60));
  const refused = [
    '2021-02-29T00:00:00Z',
    '2020-01-01T24:00:00Z',
    '2020-01-01T00:60:00Z',
    '2020-01-01T00:00:60Z',
    '2020-01-01 00:00:00Z',
    '2020-01-01T00:00:00',
    '2020-01-01t00:00:00z',
    '20-01-01T00:00:00Z',
  ];
  for (const text of refused) assert.equal(findTimestamp(text), undefined, text);
});

test('a date is its midnight in UTC', () => {
  assert.deepEqual(findDate('1970-01-02'), new Timestamp(86_400_000_000_000n));
  assert.equal(findDate('1970-1-2'), undefined);
});

test('CEL knows the years 1 to 9999', () => {
  assert.equal(new Timestamp(YEAR_1).isInRange, true);
  assert.equal(new Timestamp(YEAR_1 - 1n).isInRange, false);
  assert.equal(new Timestamp(YEAR_10000 - 1n).isInRange, true);
  assert.equal(new Timestamp(YEAR_10000).isInRange, false);
});
