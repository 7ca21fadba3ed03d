import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DO_NOT_DISRUPT, INITIALIZED_LABEL, NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { NODES, POD_DISRUPTION_BUDGETS, PODS } from '@karpenter-ts/kubernetes';
import { conditionOf, launchedNodeClaim, readyNode, readyPool, runningPod } from '../testing/cluster-objects.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';
import { ClusterModel } from './cluster-model.ts';

async function start(t: TestContext) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const cluster = new ClusterModel(env);
  const looksAgain = async (act: () => Promise<unknown>): Promise<boolean> => {
    const before = cluster.consolidationState();
    await act();
    return cluster.consolidationState() !== before;
  };
  return { env, looksAgain };
}

const OPT_OUT = { metadata: { annotations: { [DO_NOT_DISRUPT]: 'true' } } };

test('consolidation looks again when a node becomes consolidatable, and not when it no longer is', async (t) => {
  const { env, looksAgain } = await start(t);
  await env.create(NODE_CLAIMS, launchedNodeClaim('a'));
  const mark = (status: 'True' | 'False') => () =>
    env.change(NODE_CLAIMS, 'a', { status: { conditions: [conditionOf('Consolidatable', status)] } });
  assert.equal(await looksAgain(mark('True')), true);
  assert.equal(await looksAgain(mark('True')), false);
  assert.equal(await looksAgain(mark('False')), false);
});

test('consolidation looks again when the opt-out of a node or of a bound pod changes', async (t) => {
  const { env, looksAgain } = await start(t);
  await env.create(NODE_CLAIMS, launchedNodeClaim('a'));
  await env.create(NODES, readyNode('a'));
  await env.create(PODS, runningPod('p', 'node-of-a'));
  assert.equal(await looksAgain(() => env.change(NODES, 'node-of-a', OPT_OUT)), true);
  assert.equal(await looksAgain(() => env.change(NODES, 'node-of-a', OPT_OUT)), false);
  assert.equal(await looksAgain(() => env.change(PODS, 'default/p', OPT_OUT)), true);
});

test('consolidation looks again when a PodDisruptionBudget comes, goes or allows something else', async (t) => {
  const { env, looksAgain } = await start(t);
  const metadata = { name: 'b', namespace: 'default' };
  const allow = (disruptionsAllowed: number, observedGeneration: number) => () =>
    env.change(POD_DISRUPTION_BUDGETS, 'default/b', {
      status: { disruptionsAllowed, observedGeneration, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    });
  const create = () => env.create(POD_DISRUPTION_BUDGETS, { metadata, spec: { maxUnavailable: 1, selector: {} } });
  assert.equal(await looksAgain(create), true);
  assert.equal(await looksAgain(allow(1, 1)), true);
  assert.equal(await looksAgain(allow(1, 2)), false);
  const tighten = () => env.change(POD_DISRUPTION_BUDGETS, 'default/b', { spec: { maxUnavailable: 0 } });
  assert.equal(await looksAgain(tighten), true);
  assert.equal(await looksAgain(() => env.delete(POD_DISRUPTION_BUDGETS, 'default/b')), true);
});

test('04/194 a Node that joins its NodeClaim changes nothing; its initialization and a new NodePool do', async (t) => {
  const { env, looksAgain } = await start(t);
  await env.create(NODE_CLAIMS, launchedNodeClaim('a'));
  const joining = readyNode('a', { labels: { [INITIALIZED_LABEL]: 'false' } });
  assert.equal(await looksAgain(() => env.create(NODES, joining)), false);
  const initialize = () => env.change(NODES, 'node-of-a', { metadata: { labels: { [INITIALIZED_LABEL]: 'true' } } });
  assert.equal(await looksAgain(initialize), true);
  assert.equal(await looksAgain(() => env.create(NODE_POOLS, readyPool('default'))), true);
  assert.equal(await looksAgain(() => env.delete(NODE_POOLS, 'default')), false);
});
