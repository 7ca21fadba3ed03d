import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cacheKey, formatDuration } from './build.ts';

test('the cache key changes with every input and with where one ends', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.string()), (a, b) => {
      const equal = a.length === b.length && a.every((input, i) => input === b[i]);
      assert.equal(cacheKey(a) === cacheKey(b), equal);
    }),
  );
  assert.notEqual(cacheKey(['ab', 'c']), cacheKey(['a', 'bc']));
});

test('a duration reads in seconds below a minute and in minutes above', () => {
  assert.equal(formatDuration(1_234), '1.2 s');
  assert.equal(formatDuration(59_940), '59.9 s');
  assert.equal(formatDuration(384_000), '6 min 24 s');
  assert.equal(formatDuration(119_700), '2 min 0 s');
});
