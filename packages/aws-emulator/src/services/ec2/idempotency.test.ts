import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@karpenter-ts/runtime';
import { Idempotency } from './idempotency.ts';

const HOUR = 3_600_000;

test('a client token is known for a day, and only so many are remembered', async () => {
  const clock = new VirtualClock();
  const idempotency = new Idempotency(clock);
  let done = 0;
  const act = (ClientToken: string): number =>
    idempotency.once('CreateFleet', { ClientToken }, () => ({ at: ++done })).at;
  assert.deepEqual([act('a'), act('a'), act('b')], [1, 1, 2]);
  await clock.advance(23 * HOUR);
  assert.deepEqual([act('a'), act('c')], [1, 3]);
  await clock.advance(2 * HOUR);
  assert.equal(act('a'), 4);
  assert.equal(idempotency.size, 2);
});

test('a request that was refused may come again with its token', () => {
  const idempotency = new Idempotency(new VirtualClock());
  const refuse = (): object => {
    throw new Error('refused');
  };
  assert.throws(() => idempotency.once('CreateFleet', { ClientToken: 'a' }, refuse), /refused/);
  assert.deepEqual(
    idempotency.once('CreateFleet', { ClientToken: 'a' }, () => ({ done: true })),
    { done: true },
  );
});
