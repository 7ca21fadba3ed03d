import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationText, nameList } from './value-text.ts';

test('a list of names is cut after some, and the rest counted', () => {
  assert.equal(nameList([], 2), '');
  assert.equal(nameList(['a', 'b'], 2), 'a, b');
  assert.equal(nameList(['a', 'b', 'c', 'd', 'e'], 2), 'a, b and 3 other(s)');
});

test('durations are written as Go writes them', () => {
  assert.deepEqual([1500, 0, 61_000, 0.25, 3_600_000].map(durationText), ['1.5s', '0s', '1m1s', '250µs', '1h0m0s']);
});
