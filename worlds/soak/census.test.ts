import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { type Census, findGrowth } from './census.ts';

test('what is put into private maps, sets and lists, and into those of closures, is counted by where it is', async () => {
  const hoarder = fork(new URL('./hoarder.ts', import.meta.url), { execArgv: [] }); // a heap of its own, and a small one
  const [[counted]] = (await Promise.all([once(hoarder, 'message'), once(hoarder, 'exit')])) as [[unknown], unknown];
  // Of a map both keys and values count. The first of a thousand is there already, and 100 are forgotten again.
  assert.deepEqual(counted, { map: 2 * 899, set: 1000, list: 1000, closure: 2 * 999 });
});

test('growth is what has become more by more than is allowed and than one in a hundred, the most first', () => {
  const before: Census = new Map(Object.entries({ same: 5, less: 9, few: 10, many: 10_000, leak: 0, flood: 7 }));
  const after: Census = new Map(
    Object.entries({ same: 5, less: 1, few: 20, many: 10_100, leak: 11, flood: 900, new: 12 }),
  );
  assert.deepEqual(
    findGrowth(before, after, 10).map(({ what }) => what),
    ['flood', 'new', 'leak'],
  );
});
