// How much of a queue is taken in hand at once, and when a pass ends.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { SECOND } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { QUEUE, QueueEnvironment } from '../testing/queue-environment.ts';
import { drainQueue } from './drain-queue.ts';
import { InterruptionQueue } from './interruption-queue.ts';

/** A queue with messages, each of which takes some time to act on. */
async function start(t: TestContext, bodies: readonly string[], seconds: number) {
  const own = await QueueEnvironment.start(t);
  const { clock, metrics } = own.env;
  own.send(...bodies);
  const queue = await clock.runUntil(InterruptionQueue.find(own.sqs, QUEUE, NEVER));
  const seen = { acted: 0, inHand: 0, most: 0, mostText: 0, text: 0 };
  const process = async (body = '', signal: AbortSignal): Promise<void> => {
    seen.inHand++;
    seen.text += body.length;
    seen.most = Math.max(seen.most, seen.inHand);
    seen.mostText = Math.max(seen.mostText, seen.text);
    await clock.sleep(seconds * SECOND, signal);
    seen.inHand--;
    seen.text -= body.length;
    seen.acted++;
    if (body === 'refused') throw new Error(`refused ${seen.acted}`);
  };
  const drain = (signal = NEVER) => drainQueue({ queue, clock, metrics, process }, signal);
  return { own, clock, seen, drain };
}

const bodies = (count: number, body = 'x') => Array.from({ length: count }, () => body);

test('a backlog is taken in hand while its messages are acted on, a thousand at a time', async (t) => {
  const { own, clock, seen, drain } = await start(t, bodies(2_500), 5);
  const before = clock.elapsed();
  await clock.runUntil(drain());
  assert.equal(seen.acted, 2_500);
  assert.equal(own.size, 0);
  assert.ok(seen.most > 900 && seen.most < 1_080, `${seen.most} at once`);
  assert.ok(clock.elapsed() - before < 20 * SECOND, `${(clock.elapsed() - before) / SECOND} s`);
});

test('of large messages no more are taken in hand than memory has room for', async (t) => {
  const { own, clock, seen, drain } = await start(t, bodies(200, 'x'.repeat(256 * 1024)), 2);
  while (own.size > 0) await clock.runUntil(drain());
  assert.equal(seen.acted, 200);
  assert.ok(seen.mostText < 40 * 1024 * 1024, `${seen.mostText} characters at once`);
});

test('requests are made in parallel for a backlog only', async (t) => {
  const { own, clock, drain } = await start(t, bodies(9), 0);
  const receives = own.requestsOf('ReceiveMessage') as { readonly WaitTimeSeconds: number }[];
  await clock.runUntil(drain());
  assert.deepEqual(
    receives.map(({ WaitTimeSeconds }) => WaitTimeSeconds),
    [20, 1],
  );
  own.send(...bodies(200));
  await clock.runUntil(drain());
  assert.ok(receives.length < 40, `${receives.length} requests for 209 messages`);
});

test('a pass ends although messages keep coming, and tells what went wrong', async (t) => {
  const { own, clock, drain } = await start(t, ['refused'], 0);
  const begun = clock.elapsed();
  let ended = Number.POSITIVE_INFINITY;
  const pass = drain().finally(() => (ended = clock.elapsed()));
  pass.catch(() => undefined);
  for (let sent = 0; sent < 100; sent++) {
    own.send('x');
    await clock.advance(500);
  }
  await assert.rejects(pass, (error: Error) => error.message.startsWith('refused 1'));
  assert.ok(ended - begun < 25 * SECOND, `after ${(ended - begun) / SECOND} s`);
});

test('of many failures the first ten are told', async (t) => {
  const { clock, drain } = await start(t, bodies(100, 'refused'), 0);
  await assert.rejects(clock.runUntil(drain()), (error: Error) => error.message.split('; ').length === 10);
});
