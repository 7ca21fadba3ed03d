import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DONE, RETRY } from './controller.ts';
import { soonest } from './soonest.ts';

test('back-off goes before any wait, the shortest wait before others, and nothing after all', () => {
  assert.equal(soonest([]), DONE);
  assert.equal(soonest([DONE, DONE]), DONE);
  assert.deepEqual(soonest([DONE, { requeueAfter: 7 }, { requeueAfter: 5 }]), { requeueAfter: 5 });
  assert.equal(soonest([{ requeueAfter: 5 }, RETRY]), RETRY);
});
