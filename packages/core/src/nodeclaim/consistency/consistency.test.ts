import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DONE, MINUTE } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { NODES } from '@karpenter-ts/kubernetes';
import { type NodeClaimEnvironment, startNodeClaimEnvironment } from '../testing/nodeclaim-environment.ts';
import { consistencyController } from './controller.ts';

const REQUESTS = { resources: { requests: { memory: '1Gi' } } };

/** A complete NodeClaim that was promised 128Gi. */
async function promised(env: NodeClaimEnvironment, memory: string): Promise<void> {
  await env.addRegistered(REQUESTS, { status: { capacity: { memory }, allocatable: { memory, cpu: '1' } } });
  await env.change(NODE_CLAIMS, 'c1', { status: { capacity: { memory: '128Gi' } } });
}

test('03/90 an instance with half the promised memory is reported', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await promised(env, '64Gi');
  const consistency = consistencyController(env);
  assert.deepEqual(await env.reconcile(consistency, 'c1'), { requeueAfter: 10 * MINUTE });
  const condition = await env.condition('ConsistentStateFound');
  assert.deepEqual(
    [condition?.status, condition?.reason, condition?.message],
    ['False', 'ConsistencyCheckFailed', 'Consistency Check Failed'],
  );
  const [event] = env.published;
  const message = 'expected 128Gi of resource memory, but found 64Gi (50.0% of expected)';
  assert.deepEqual([event?.type, event?.reason, event?.message], ['Warning', 'FailedConsistencyCheck', message]);
  const line = env.logger.lines.find((one) => one.message === 'failed consistency check');
  assert.equal(line?.fields['issue'], message);
});

test('the percentage of a shortfall is rounded as Go rounds it, halves to even', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await promised(env, '104Gi'); // 81.25 %
  await env.reconcile(consistencyController(env), 'c1');
  const message = 'expected 128Gi of resource memory, but found 104Gi (81.2% of expected)';
  assert.deepEqual(
    env.published.map((event) => event.message),
    [message],
  );
});

test('03/90 a tenth less is within the bounds', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await promised(env, '116.48Gi'); // 91 %
  await env.reconcile(consistencyController(env), 'c1');
  assert.equal((await env.condition('ConsistentStateFound'))?.status, 'True');
  assert.deepEqual(env.published, []);
});

test('05/69 what a NodeClaim does not ask for may be missing', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await promised(env, '128Gi');
  await env.change(NODE_CLAIMS, 'c1', { status: { capacity: { 'ephemeral-storage': '100Gi' } } });
  await env.reconcile(consistencyController(env), 'c1');
  assert.equal((await env.condition('ConsistentStateFound'))?.status, 'True');
});

test('03/91 within ten minutes of a comparison there is no other', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await promised(env, '128Gi');
  const consistency = consistencyController(env);
  await env.reconcile(consistency, 'c1');
  await env.change(NODES, 'node-of-c1', { status: { capacity: { memory: '1Gi' } } });
  await env.clock.advance(4 * MINUTE);
  assert.deepEqual(await env.reconcile(consistency, 'c1'), { requeueAfter: 6 * MINUTE });
  assert.equal((await env.condition('ConsistentStateFound'))?.status, 'True');
  await env.clock.advance(6 * MINUTE);
  await env.reconcile(consistency, 'c1');
  assert.equal((await env.condition('ConsistentStateFound'))?.status, 'False');
});

test('a clock that is put forward does not make the next comparison overdue', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await promised(env, '128Gi');
  const { clock } = env;
  let jump = 0;
  const jumping = {
    now: () => clock.now() + jump,
    elapsed: () => clock.elapsed(),
    after: clock.after.bind(clock),
    sleep: clock.sleep.bind(clock),
    track: clock.track.bind(clock),
  };
  const { client, caches, provider, events, metrics, logger, options } = env;
  const consistency = consistencyController({
    client,
    caches,
    provider,
    events,
    metrics,
    logger,
    options,
    clock: jumping,
  });
  await env.reconcile(consistency, 'c1');
  jump = 60 * MINUTE;
  assert.deepEqual(await env.reconcile(consistency, 'c1'), { requeueAfter: 10 * MINUTE });
});

test('03/149 a verdict that could not be written is given again at once', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await promised(env, '64Gi');
  const consistency = consistencyController(env);
  env.refusals.add({ method: 'PATCH', path: /nodeclaims\/c1\/status$/, code: 409 });
  await assert.rejects(env.reconcile(consistency, 'c1'));
  await env.reconcile(consistency, 'c1');
  assert.equal((await env.condition('ConsistentStateFound'))?.status, 'False');
  assert.equal(env.published.length, 1);
});

test('the first comparison comes as soon as the Node is complete', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const consistency = consistencyController(env);
  await env.addNodeClaim(REQUESTS);
  assert.equal(await env.reconcile(consistency, 'c1'), DONE);
  await env.pass();
  assert.equal(await env.reconcile(consistency, 'c1'), DONE);
  await env.addNode({ status: { capacity: { memory: '1Mi' }, allocatable: { memory: '1Mi' } } });
  await env.reconcile(consistency, 'c1');
  assert.equal((await env.condition('ConsistentStateFound'))?.status, 'True'); // nothing to compare with yet
  await env.pass();
  await env.reconcile(consistency, 'c1');
  assert.equal((await env.condition('ConsistentStateFound'))?.status, 'False');
});
