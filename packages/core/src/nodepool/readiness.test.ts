import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Condition, findCondition } from '@karpenter-ts/kubernetes';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { NODE_POOLS, type NodePool } from '@karpenter-ts/apis';
import type { NodeClass } from '@karpenter-ts/cloudprovider';
import { makeNodeClass, makeNodePool, NODE_CLASSES } from '../testing/objects.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';
import { readinessController, readinessOf } from './readiness.ts';
import { validationController } from './validation.ts';

async function start(t: Parameters<typeof startTestEnvironment>[0]) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  await env.run(readinessController(env), validationController(env));
  await env.create(NODE_POOLS, makeNodePool('default'));
  const condition = async (type: string): Promise<Condition | undefined> =>
    findCondition(await env.get<NodePool>(NODE_POOLS, 'default'), type);
  const texts = async (type: string) => {
    const found = await condition(type);
    return [found?.status, found?.reason, found?.message];
  };
  return { env, texts };
}

test('03/101 a pool follows its NodeClass: missing, silent, unready, ready, deleting', async (t) => {
  const { env, texts } = await start(t);
  assert.deepEqual(await texts('NodeClassReady'), ['False', 'NodeClassNotFound', 'NodeClass not found on cluster']);
  assert.equal((await texts('Ready'))[0], 'False');
  await env.create(NODE_CLASSES, { metadata: { name: 'default', finalizers: ['example.com/x'] } });
  const unknown = ['False', 'NodeClassReadinessUnknown', 'Node Class Readiness Unknown'];
  assert.deepEqual(await texts('NodeClassReady'), unknown);
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const say = (status: string): Promise<unknown> =>
    env.change(NODE_CLASSES, 'default', {
      status: {
        conditions: [{ type: 'Ready', status, reason: 'NoSubnets', message: 'none found', lastTransitionTime }],
      },
    });
  await say('Unknown');
  assert.deepEqual(await texts('NodeClassReady'), unknown);
  await say('False');
  assert.deepEqual(await texts('NodeClassReady'), ['False', 'NoSubnets', 'none found']);
  await say('True');
  assert.deepEqual(await texts('NodeClassReady'), ['True', 'NodeClassReady', '']);
  assert.deepEqual(await texts('Ready'), ['True', 'Ready', '']);
  await env.delete(NODE_CLASSES, 'default');
  assert.deepEqual(await texts('NodeClassReady'), ['False', 'NodeClassTerminating', 'NodeClass is Terminating']);
  assert.equal((await texts('Ready'))[0], 'False');
});

test('01/34 what a pool says of its NodeClass', () => {
  const deleting: NodeClass = { metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const reasons = [undefined, deleting, { metadata: { name: 'x' } }, makeNodeClass('x', 'Unknown')].map(
    (nodeClass) => readinessOf(nodeClass).reason,
  );
  assert.deepEqual(reasons, [
    'NodeClassNotFound',
    'NodeClassTerminating',
    'NodeClassReadinessUnknown',
    'NodeClassReadinessUnknown',
  ]);
  assert.equal(readinessOf(makeNodeClass()).status, 'True');
});
