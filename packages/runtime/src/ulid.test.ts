import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ulids } from './ulid.ts';

test('an id begins with its time in ten digits, as the example of the ULID specification does', () => {
  const id = new Ulids(() => 0).next(1_469_918_176_385);
  assert.equal(id, '01ARYZ6S410000000000000000');
});

test('ids are different and in order within a millisecond, and when the clock is set back', () => {
  const ulids = new Ulids(() => 0.999);
  const ids = [5, 5, 4, 6, 6, 1].map((now) => ulids.next(now));
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[0-9A-HJKMNP-TV-Z]{26}$/);
});
