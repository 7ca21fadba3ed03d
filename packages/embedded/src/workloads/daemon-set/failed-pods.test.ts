import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { FailedPods } from './failed-pods.ts';

test('the second failure on a node waits, and each one twice as long as the last', async () => {
  const clock = new VirtualClock();
  const failures = new FailedPods(clock);
  assert.equal(failures.delayFor('set', 'a'), 0);
  assert.equal(failures.delayFor('set', 'a'), 1 * SECOND);
  await clock.advance(1 * SECOND);
  assert.equal(failures.delayFor('set', 'a'), 0);
  assert.equal(failures.delayFor('set', 'a'), 2 * SECOND);
  assert.equal(failures.delayFor('set', 'b'), 0);
  failures.forget('set');
  assert.equal(failures.delayFor('set', 'a'), 0);
});

test('failures on nodes that are long gone are forgotten, though their set stays', async () => {
  const clock = new VirtualClock();
  const failures = new FailedPods(clock);
  for (let node = 0; node < 200; node++) {
    failures.delayFor('set', `node-${node}`);
    await clock.advance(60 * MINUTE);
  }
  assert.ok(failures.size <= 2, `${failures.size} are remembered`);
});
