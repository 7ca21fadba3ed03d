import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runParallel } from './parallel.ts';

test('all items are worked on, no more than allowed at a time, and failures are handed back', async () => {
  let running = 0;
  let most = 0;
  const done: number[] = [];
  const items = Array.from({ length: 25 }, (_, i) => i);
  const errors = await runParallel(items, 4, async (item) => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
    if (item % 10 === 0) throw new Error(String(item));
    done.push(item);
  });
  assert.equal(most, 4);
  assert.equal(done.length, 22);
  assert.deepEqual(
    errors.map((error) => (error as Error).message),
    ['0', '10', '20'],
  );
});
