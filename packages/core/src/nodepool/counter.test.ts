import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceList } from '@karpenter-ts/kubernetes';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { SECOND } from '@karpenter-ts/runtime';
import { NODE_POOLS, type NodePool } from '@karpenter-ts/apis';
import { makeNodePool } from '../testing/objects.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';
import { counterController, withUsage } from './counter.ts';

const ZEROS = { cpu: '0', memory: '0', pods: '0', 'ephemeral-storage': '0', nodes: '0' };

async function start(t: Parameters<typeof startTestEnvironment>[0]) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  await env.create(NODE_POOLS, makeNodePool('default'));
  const model = { synced: true, usage: {} as ResourceList };
  const usage = { hasSynced: () => model.synced, usageOf: () => model.usage };
  const status = async () => (await env.get<NodePool>(NODE_POOLS, 'default')).status;
  return { env, model, controller: counterController(env, usage), status };
}

test('01/38 a pool without nodes shows five zeros, one with two nodes their sum', async (t) => {
  const { env, model, controller, status } = await start(t);
  assert.deepEqual(await env.reconcile(controller, 'default'), { requeueAfter: 5 * SECOND });
  assert.deepEqual([(await status())?.resources, (await status())?.nodes], [ZEROS, 0]);
  model.usage = { cpu: '8', memory: '32Gi', nodes: '2' };
  await env.reconcile(controller, 'default');
  assert.deepEqual((await status())?.resources, { ...ZEROS, cpu: '8', memory: '32Gi', nodes: '2' });
  assert.equal((await status())?.nodes, 2);
});

test('03/100 nothing is written before the model has seen all nodes', async (t) => {
  const { env, model, controller, status } = await start(t);
  model.synced = false;
  const before = await status();
  assert.deepEqual(await env.reconcile(controller, 'default'), { requeueAfter: 1 * SECOND });
  assert.deepEqual(await status(), before);
});

test('a resource that no node has any more is taken away, and equal amounts are not written anew', async (t) => {
  const { env, model, controller, status } = await start(t);
  model.usage = { cpu: '8', 'nvidia.com/gpu': '1', nodes: '1' };
  await env.reconcile(controller, 'default');
  env.writes.length = 0;
  model.usage = { cpu: '8000m', 'nvidia.com/gpu': 1, nodes: 1 };
  await env.reconcile(controller, 'default');
  assert.deepEqual(env.writes, []);
  model.usage = {};
  await env.reconcile(controller, 'default');
  assert.deepEqual((await status())?.resources, ZEROS);
});

test('a pool is counted every 5 s from its creation on, and no more when it is gone', async (t) => {
  const { env, model, controller, status } = await start(t);
  await env.run(controller);
  await env.create(NODE_POOLS, makeNodePool('second'));
  model.usage = { nodes: '3' };
  await env.clock.advance(5 * SECOND);
  assert.equal((await status())?.nodes, 3);
  assert.equal((await env.get<NodePool>(NODE_POOLS, 'second')).status?.nodes, 3);
  await env.delete(NODE_POOLS, 'second');
  env.writes.length = 0;
  model.usage = { nodes: '4' };
  await env.clock.advance(10 * SECOND);
  assert.deepEqual(env.writes, ['PATCH /apis/karpenter.sh/v1/nodepools/default/status']);
});

test('other members of the status stay', () => {
  const pool: NodePool = { ...makeNodePool('p'), status: { nodes: 1, nodeClassObservedGeneration: 4 } };
  assert.equal(withUsage(pool, {})?.nodeClassObservedGeneration, 4);
});
