import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@karpenter-ts/kubernetes/testing';
import { sortStepwise } from './stepwise-sort.ts';

const byRank = (a: { readonly rank: number }, b: { readonly rank: number }) => a.rank - b.rank;

test('sorting in steps ends as sorting in one go, equal items in their order', () => {
  const random = seededRandom(7);
  for (const count of [0, 1, 2, 4095, 4096, 4097, 20_000]) {
    const items = Array.from({ length: count }, (_, id) => ({ id, rank: random.below(50) }));
    const sorting = sortStepwise(items, byRank);
    let steps = 0;
    let step = sorting.next();
    for (; !step.done; step = sorting.next()) steps++;
    assert.deepEqual(step.value, items.toSorted(byRank));
    assert.ok(steps >= count / 4096, `${steps} pauses among ${count}`);
  }
});
