// A queue that somebody filled with what no controller can read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { deletedMessages } from '../interruption/drain-queue.ts';
import { QueueEnvironment, spotWarning } from '../testing/queue-environment.ts';

const GARBAGE = ['{', 'null', '[]', '""', '{"version":0}', 'x'.repeat(1000), '{"time":"yesterday"}', '\u0000'];
const COUNT = 100_000;

test('a hundred thousand messages of garbage are deleted, and the warning behind them is acted on', async (t) => {
  const queue = await QueueEnvironment.start(t);
  const { env } = queue;
  await queue.addInstances('i-1');
  for (let sent = 0; sent < COUNT; sent++) queue.send(GARBAGE[sent % GARBAGE.length]!);
  queue.send(spotWarning('i-1'));
  await env.run(queue.controller);
  for (let passed = 0; passed < 5 * MINUTE && queue.size > 0; passed += SECOND) await env.clock.advance(1 * SECOND);
  assert.equal(queue.size, 0);
  assert.deepEqual(env.deleted, ['claim-of-i-1: spot_interrupted']);
  assert.equal(env.metrics.find(deletedMessages, {}), COUNT + 1);
  assert.ok(process.memoryUsage().heapUsed < 1e9);
});
