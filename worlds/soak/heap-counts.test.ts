import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { type HeapCounts, findGrowth } from './heap-counts.ts';

test('what is put into private maps, sets and lists, and into those of closures, is counted by where it is', async () => {
  const child = fork(new URL('./growing-process.ts', import.meta.url), { execArgv: [] }); // its heap is small
  const [[counted]] = (await Promise.all([once(child, 'message'), once(child, 'exit')])) as [[unknown], unknown];
  // Keys and values of a map count both. One entry is there before the first count; 100 of the first map are removed.
  assert.deepEqual(counted, { map: 2 * 899, set: 1000, list: 1000, closure: 2 * 999, ownKeys: 1000, serverKeys: 0 });
});

test('growth is what has become more by more than is allowed and than one in a hundred, the most first', () => {
  const before: HeapCounts = new Map(Object.entries({ same: 5, less: 9, few: 10, many: 10_000, leak: 0, flood: 7 }));
  const after: HeapCounts = new Map(
    Object.entries({ same: 5, less: 1, few: 20, many: 10_100, leak: 11, flood: 900, new: 12 }),
  );
  assert.deepEqual(
    findGrowth(before, after, 10).map(({ what }) => what),
    ['flood', 'new', 'leak'],
  );
});
