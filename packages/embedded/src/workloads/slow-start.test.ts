import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forAll, slowStart } from './slow-start.ts';

test('writes begin with one and double while they succeed', async () => {
  const batches: number[] = [];
  let underWay = 0;
  await slowStart(
    10,
    async () => {
      underWay++;
      await Promise.resolve();
      if (underWay > 0) batches.push(underWay);
      underWay = 0;
    },
    () => assert.fail('nothing is skipped'),
  );
  assert.deepEqual(batches, [1, 2, 4, 3]);
});

test('after a failure the rest of the batch ends and no further one begins', async () => {
  const written: number[] = [];
  let skipped = 0;
  const writing = slowStart(
    10,
    async (index) => {
      written.push(index);
      if (index === 1) throw new Error('refused');
    },
    (count) => (skipped = count),
  );
  await assert.rejects(writing, /refused/);
  assert.deepEqual(written, [0, 1, 2]);
  assert.equal(skipped, 7);
});

test('one failure among many does not stop the others', async () => {
  const done: number[] = [];
  const all = forAll([1, 2, 3], async (item) => {
    if (item === 1) throw new Error('refused');
    done.push(item);
  });
  await assert.rejects(all, /refused/);
  assert.deepEqual(done, [2, 3]);
});
