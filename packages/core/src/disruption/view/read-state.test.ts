import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { UnevaluatedNodePoolError } from '@karpenter-ts/cloudprovider';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { NODES, PODS } from '@karpenter-ts/kubernetes';
import { fakeType } from '@karpenter-ts/scheduling/testing';
import { PodDisruptionBudgets } from '../../pods/disruption-budgets.ts';
import { ClusterModel } from '../../state/cluster-model.ts';
import { TimeSlices } from '../../state/time-slices.ts';
import { launchedNodeClaim, pendingPod, readyNode, readyPool, runningPod } from '../../testing/cluster-objects.ts';
import { FOREIGN_CLASS_REF, makeNodePool } from '../../testing/objects.ts';
import { startTestEnvironment } from '../../testing/test-environment.ts';
import { countTurns } from '../../testing/turns.ts';
import { DisruptionStateReader } from './read-state.ts';

async function start(t: TestContext) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const cluster = new ClusterModel(env);
  const queued = new Set<string>();
  const queue = { has: (id: string) => queued.has(id), isReplacement: (name: string) => name === 'replacement' };
  const deps = { ...env, cluster, podDisruptionBudgets: new PodDisruptionBudgets(env.caches), queue };
  const reader = new DisruptionStateReader(deps);
  const read = () => reader.read(new TimeSlices(env.clock, new AbortController().signal), env.logger);
  return { env, cluster, queued, reader, read };
}

test('pods are expected on the replacements of commands that are being carried out', async (t) => {
  const { env, read } = await start(t);
  for (const name of ['replacement', 'other']) await env.create(NODE_CLAIMS, launchedNodeClaim(name));
  const state = await read();
  const nominated = state.stateNodes.active.filter((one) => state.isNominated(one));
  assert.deepEqual(
    nominated.map(({ nodeClaim }) => nodeClaim?.metadata.name),
    ['replacement'],
  );
});

test('a state has what a pass decides from, and does not change while the cluster does', async (t) => {
  const { env, cluster, queued, read } = await start(t);
  await env.create(NODE_POOLS, readyPool('default'));
  await env.create(NODE_POOLS, makeNodePool('static', { replicas: 1 }));
  await env.create(NODE_POOLS, makeNodePool('theirs', { template: { nodeClassRef: FOREIGN_CLASS_REF } }));
  await env.create(NODE_CLAIMS, launchedNodeClaim('a'));
  await env.create(NODES, readyNode('a'));
  await env.create(PODS, runningPod('done', 'node-of-a', { status: { phase: 'Succeeded' } }));
  await env.create(PODS, pendingPod('waiting'));
  cluster.nominate('fake:///a');
  queued.add('fake:///q');
  const state = await read();
  const [a] = state.stateNodes.active;
  assert.deepEqual([...state.pools.keys()], ['default', 'static']);
  assert.equal(state.pools.get('default')?.instanceTypes.get('small-instance-type')?.name, 'small-instance-type');
  assert.deepEqual(
    [state.isNominated(a!), state.isQueued('fake:///q'), state.isQueued('fake:///a')],
    [true, true, false],
  );
  await env.clock.advance(60_000);
  await env.delete(PODS, 'default/done');
  assert.equal(state.isNominated(a!), true);
  assert.deepEqual(
    state.podsOn('node-of-a').map(({ metadata }) => metadata.name),
    ['done'],
  );
  assert.deepEqual(
    state.pendingPods.map(({ metadata }) => metadata.name),
    ['waiting'],
  );
  const later = await read();
  assert.deepEqual([later.isNominated(later.stateNodes.active[0]!), later.podsOn('node-of-a')], [false, []]);
});

test('types by name are indexed once for the array that the provider returns', async (t) => {
  const { env, read } = await start(t);
  await env.create(NODE_POOLS, readyPool('default'));
  const first = (await read()).pools.get('default')!;
  assert.equal((await read()).pools.get('default')!.instanceTypes, first.instanceTypes);
  env.provider.offer([fakeType('other')]);
  assert.deepEqual([...(await read()).pools.get('default')!.instanceTypes.keys()], ['other']);
});

test('a pool whose types cannot be listed has none, and the others have theirs', async (t) => {
  const { env, read } = await start(t);
  for (const name of ['default', 'broken', 'overlaid']) await env.create(NODE_POOLS, readyPool(name));
  env.provider.offer(new Error('not now'), 'broken');
  env.provider.offer(new UnevaluatedNodePoolError('overlaid'), 'overlaid');
  const { pools } = await read();
  const counts = [...pools].map(([name, { offered, instanceTypes }]) => [name, offered.length, instanceTypes.size]);
  assert.deepEqual(Object.fromEntries(counts.map(([name, ...rest]) => [name, rest])), {
    default: [6, 6],
    broken: [0, 0],
    overlaid: [0, 0],
  });
  const errors = env.logger.lines.filter(({ level }) => level === 'error');
  const texts = errors.map(({ message, fields }) => `${message}: ${String(fields['nodepool'] ?? fields['NodePool'])}`);
  assert.deepEqual(
    new Set(texts),
    new Set(['failed listing instance types: broken', 'skipping, node overlays are not applied: overlaid']),
  );
});

test('others get their turn after each node and each pod, and an abort ends the reading', async (t) => {
  const { env, reader } = await start(t);
  for (let i = 0; i < 10; i++) {
    await env.create(NODE_CLAIMS, launchedNodeClaim(`c${i}`));
    await env.create(NODES, readyNode(`c${i}`));
    await env.create(PODS, pendingPod(`p${i}`));
  }
  assert.ok((await countTurns((slices) => reader.read(slices, env.logger))) >= 30);
  const slices = new TimeSlices({ elapsed: Date.now }, AbortSignal.abort(new Error('stopped')));
  env.provider.offer(new Error('not now'));
  await env.create(NODE_POOLS, readyPool('default'));
  await assert.rejects(reader.read(slices, env.logger), /stopped/);
});
