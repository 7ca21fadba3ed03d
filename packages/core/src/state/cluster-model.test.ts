import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  NODE_CLAIMS,
  NODE_POOLS,
  type NodePool,
  NODEPOOL_LABEL,
} from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { HOUR, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { CSI_NODES, DAEMON_SETS, type DaemonSet, NODES, PODS } from '@karpenter-ts/kubernetes';
import { AdjustableClock } from '@karpenter-ts/runtime/testing';
import {
  launchedNodeClaim,
  ownedBy,
  pendingPod,
  plainNode,
  readyNode,
  readyPool,
  runningPod,
} from '../testing/cluster-objects.ts';
import { metricsPage } from '../testing/metrics-page.ts';
import { FOREIGN_CLASS_REF, makeNodeClaim } from '../testing/objects.ts';
import { type TestEnvironment, startTestEnvironment } from '../testing/test-environment.ts';
import { countTurns } from '../testing/turns.ts';
import { ClusterModel, type ClusterSnapshot } from './cluster-model.ts';

async function start(t: TestContext): Promise<{ env: TestEnvironment; cluster: ClusterModel }> {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  return { env, cluster: new ClusterModel(env) };
}

/** Names of the pods on a state node. */
function podsOn(cluster: ClusterModel, providerId: string): readonly string[] | undefined {
  return cluster.find(providerId)?.existing.pods.map(({ metadata }) => metadata.name);
}

test('02/15 03/106 with one NodeClaim of many unlaunched the model is not synced, and is again when that is deleted', async (t) => {
  const { env, cluster } = await start(t);
  for (let i = 0; i < 20; i++) await env.create(NODE_CLAIMS, launchedNodeClaim(`c${i}`));
  assert.equal(cluster.hasSynced(), true);
  await env.create(NODE_CLAIMS, launchedNodeClaim('late', { providerId: '' }));
  assert.equal(cluster.hasSynced(), false);
  await env.delete(NODE_CLAIMS, 'late');
  assert.equal(cluster.hasSynced(), true);
});

test('02/15 a NodeClaim counts from its creation, before any watch shows it', async (t) => {
  const { cluster } = await start(t);
  assert.equal(cluster.hasSynced(), true);
  cluster.track(launchedNodeClaim('mine', { providerId: '' }));
  assert.equal(cluster.hasSynced(), false);
});

test('the cache’s version of a NodeClaim is newer than the answer to its creation', async (t) => {
  const { env, cluster } = await start(t);
  await env.create(NODE_CLAIMS, launchedNodeClaim('mine'));
  cluster.track(launchedNodeClaim('mine', { providerId: '' }));
  assert.equal(cluster.hasSynced(), true);
});

test('02/16 03/156 a node that cannot be told apart keeps the first sync waiting, and no later one', async (t) => {
  const { env, cluster } = await start(t);
  const unknown = plainNode('a', { labels: { [NODEPOOL_LABEL]: 'default' } });
  await env.create(NODES, unknown);
  assert.equal(cluster.hasSynced(), false);
  await env.change(NODES, 'a', {
    metadata: { labels: { [INSTANCE_TYPE_LABEL]: 't' } },
    spec: { providerID: 'x:///a' },
  });
  assert.equal(cluster.hasSynced(), true);
  await env.create(NODES, { ...unknown, metadata: { ...unknown.metadata, name: 'b' } });
  assert.equal(cluster.hasSynced(), true);
});

test('NodeClaims of other providers are ignored', async (t) => {
  const { env, cluster } = await start(t);
  await env.create(NODE_CLAIMS, makeNodeClaim('theirs', { nodeClassRef: FOREIGN_CLASS_REF }));
  assert.equal(cluster.hasSynced(), true);
  assert.deepEqual(cluster.snapshot().active, []);
});

test('02/21 03/151 a pod counts on its node whichever of them comes first, and no longer when it has ended', async (t) => {
  const { env, cluster } = await start(t);
  await env.create(PODS, runningPod('early', 'n'));
  await env.create(PODS, runningPod('done', 'n', { status: { phase: 'Succeeded' } }));
  await env.create(PODS, pendingPod('unbound'));
  await env.create(NODES, plainNode('n'));
  assert.deepEqual(podsOn(cluster, 'n'), ['early']);
  await env.create(PODS, runningPod('late', 'n'));
  assert.deepEqual(podsOn(cluster, 'n'), ['early', 'late']);
  await env.change(PODS, 'default/early', { status: { phase: 'Failed' } });
  assert.deepEqual(podsOn(cluster, 'n'), ['late']);
  await env.client.delete(PODS, { namespace: 'default', name: 'late' }, { gracePeriodSeconds: 0 });
  await env.clock.flush();
  assert.deepEqual(podsOn(cluster, 'n'), []);
});

test('a pod that is terminating takes its room until it is gone', async (t) => {
  const { env, cluster } = await start(t);
  await env.create(NODES, plainNode('n'));
  const pod = runningPod('a', 'n');
  await env.create(PODS, { ...pod, metadata: { ...pod.metadata, finalizers: ['example.com/held'] } });
  await env.client.delete(PODS, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });
  await env.clock.flush();
  assert.deepEqual(podsOn(cluster, 'n'), ['a']);
  const release = { type: 'merge', body: { metadata: { finalizers: [] } } } as const;
  await env.client.patch(PODS, { namespace: 'default', name: 'a' }, release);
  await env.clock.flush();
  assert.deepEqual(podsOn(cluster, 'n'), []);
});

test('a pod whose end comes together with its deletion leaves its node', async (t) => {
  const { env, cluster } = await start(t);
  await env.create(NODES, plainNode('n'));
  await env.create(PODS, runningPod('a', 'n'));
  assert.deepEqual(podsOn(cluster, 'n'), ['a']);
  const ended = env.change(PODS, 'default/a', { status: { phase: 'Succeeded' } });
  await env.client.delete(PODS, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });
  await ended.catch(() => undefined);
  await env.clock.flush();
  assert.deepEqual(podsOn(cluster, 'n'), []);
});

test('02/22 03/151 a pod that comes back under its name on another node has moved', async (t) => {
  const { env, cluster } = await start(t);
  await env.create(NODES, plainNode('one'));
  await env.create(NODES, plainNode('two'));
  await env.create(PODS, runningPod('a', 'one'));
  await env.client.delete(PODS, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });
  await env.create(PODS, runningPod('a', 'two'));
  assert.deepEqual([podsOn(cluster, 'one'), podsOn(cluster, 'two')], [[], ['a']]);
});

test('02/23 03/156 05/43 after half a minute without sync operators are told, every ten seconds at most', async (t) => {
  const { env, cluster } = await start(t);
  await env.create(NODE_CLAIMS, launchedNodeClaim('stuck', { providerId: '' }));
  const lines = () => env.logger.lines.filter(({ message }) => message.startsWith('cluster is waiting on sync'));
  const ask = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i++) {
      cluster.hasSynced();
      await env.clock.advance(1 * SECOND);
    }
  };
  await ask(31);
  assert.equal(lines().length, 0);
  await ask(1);
  assert.deepEqual(lines(), [
    {
      level: 'error',
      logger: 'controller',
      message: 'cluster is waiting on sync for extended duration',
      fields: { duration: '31s' },
      error: 'waiting on cluster sync',
    },
  ]);
  await ask(8);
  cluster.hasSynced();
  assert.equal(lines().length, 1);
  assert.match(await metricsPage(env.metrics), /^karpenter_cluster_state_unsynced_time_seconds 40$/m);
  assert.match(await metricsPage(env.metrics), /^karpenter_cluster_state_synced 0$/m);
  await ask(12);
  assert.equal(lines().length, 2);
  await env.delete(NODE_CLAIMS, 'stuck');
  cluster.hasSynced();
  assert.match(await metricsPage(env.metrics), /^karpenter_cluster_state_unsynced_time_seconds 0$/m);
  assert.match(await metricsPage(env.metrics), /^karpenter_cluster_state_synced 1$/m);
});

test('02/24 03/105 a nomination lasts twice the longest batch, and each begins it anew', async (t) => {
  const { env, cluster } = await start(t);
  await env.create(NODES, plainNode('n'));
  cluster.nominate('n');
  await env.clock.advance(10 * SECOND);
  assert.equal(cluster.isNominated('n'), true);
  cluster.nominate('n');
  await env.clock.advance(19 * SECOND);
  assert.equal(cluster.isNominated('n'), true);
  await env.clock.advance(2 * SECOND);
  assert.equal(cluster.isNominated('n'), false);
});

test('a nomination lasts as long, though the wall clock is set back or forth meanwhile', async (t) => {
  for (const by of [-1 * HOUR, 1 * HOUR]) {
    const clock = new AdjustableClock();
    const env = await startTestEnvironment(t, { provider: new FakeCloudProvider(), clock });
    const cluster = new ClusterModel(env);
    await env.create(NODES, plainNode('n'));
    cluster.nominate('n');
    clock.setWallBy(by);
    await clock.advance(19 * SECOND);
    assert.equal(cluster.isNominated('n'), true);
    await clock.advance(2 * SECOND);
    assert.equal(cluster.isNominated('n'), false);
  }
});

test('03/150 usage counts each pool’s own state nodes, static or not; without any it is empty', async (t) => {
  const { env, cluster } = await start(t);
  for (const name of ['a', 'b']) await env.create(NODE_CLAIMS, launchedNodeClaim(name, { capacity: { cpu: '2' } }));
  await env.create(NODE_CLAIMS, launchedNodeClaim('c', { pool: 'static', capacity: { cpu: '3' } }));
  assert.deepEqual(cluster.usageOf('default'), { cpu: '4', nodes: '2' });
  assert.deepEqual(cluster.usageOf('static'), { cpu: '3', nodes: '1' });
  await env.delete(NODE_CLAIMS, 'c');
  assert.deepEqual(cluster.usageOf('static'), {});
});

test('03/155 state nodes marked for deletion move to the deleting ones of the snapshot, and back', async (t) => {
  const { env, cluster } = await start(t);
  await env.create(NODE_CLAIMS, launchedNodeClaim('a'));
  const names = () => {
    const { active, deleting } = cluster.snapshot();
    return [active, deleting].map((nodes) => nodes.map(({ existing }) => existing.name));
  };
  const owner = {};
  cluster.markForDeletion(owner, ['fake:///a']);
  assert.deepEqual(names(), [[], ['a']]);
  cluster.unmarkForDeletion(owner, ['fake:///a']);
  assert.deepEqual(names(), [['a'], []]);
});

test('02/138 03/152 a change of a NodeClaim keeps the pods of its node', async (t) => {
  const { env, cluster } = await start(t);
  await env.create(NODE_CLAIMS, launchedNodeClaim('a'));
  await env.create(NODES, readyNode('a'));
  await env.create(CSI_NODES, csiNode('node-of-a', 10));
  await env.create(PODS, runningPod('p', 'node-of-a'));
  const before = cluster.find('fake:///a');
  await env.change(NODE_CLAIMS, 'a', { metadata: { annotations: { some: 'thing' } } });
  const after = cluster.find('fake:///a');
  assert.notEqual(after, before);
  assert.deepEqual(after?.existing.pods, before?.existing.pods);
  assert.deepEqual(after?.existing.volumeLimits, { 'ebs.csi.aws.com': 10 });
  await env.change(PODS, 'default/p', { metadata: { labels: { a: 'b' } } });
  assert.deepEqual(podsOn(cluster, 'fake:///a'), ['p']);
});

test('a change on one node describes no other anew', async (t) => {
  const { env, cluster } = await start(t);
  await env.create(NODES, plainNode('one'));
  await env.create(NODES, plainNode('two'));
  const [one, two] = [cluster.find('one')?.existing, cluster.find('two')?.existing];
  await env.create(PODS, runningPod('a', 'one'));
  assert.notEqual(cluster.find('one')?.existing, one);
  assert.equal(cluster.find('two')?.existing, two);
});

test('how many volumes a node takes is what its CSINode says: nothing without a word, none without a number', async (t) => {
  const { env, cluster } = await start(t);
  await env.create(NODES, plainNode('n'));
  assert.deepEqual(cluster.find('n')?.existing.volumeLimits, {});
  await env.create(CSI_NODES, csiNode('n', 3));
  assert.deepEqual(cluster.find('n')?.existing.volumeLimits, { 'ebs.csi.aws.com': 3 });
  await env.delete(CSI_NODES, 'n');
  const drivers = [
    { name: 'silent', nodeID: 'n' },
    { name: 'vague', nodeID: 'n', allocatable: {} },
  ];
  await env.create(CSI_NODES, { metadata: { name: 'n' }, spec: { drivers } });
  assert.deepEqual(cluster.find('n')?.existing.volumeLimits, { vague: 0 });
});

test('02/140 03/153 the newest pod of a daemon set is remembered, whatever became of it, until the set is gone', async (t) => {
  const { env, cluster } = await start(t);
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'main', image: 'main:1' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template, updateStrategy: { type: 'RollingUpdate' } };
  const metadata = { name: 'd', namespace: 'default' };
  const daemonSet = await env.create<DaemonSet>(DAEMON_SETS, { metadata, spec });
  const newest = () => cluster.findDaemonPod(daemonSet)?.metadata.name;
  await env.create(PODS, runningPod('foreign', 'n'));
  await env.create(PODS, runningPod('of-another', 'n', { ownerReferences: ownedBy('DaemonSet', 'another') }));
  assert.equal(newest(), undefined);
  const owners = ownedBy('DaemonSet', daemonSet.metadata.uid);
  await env.create(PODS, runningPod('first', 'n', { ownerReferences: owners }));
  await env.clock.advance(1 * SECOND);
  await env.create(PODS, runningPod('second', 'n', { ownerReferences: owners }));
  await env.change(PODS, 'default/first', { metadata: { labels: { touched: 'yes' } } });
  assert.equal(newest(), 'second');
  await env.change(PODS, 'default/second', { metadata: { labels: { touched: 'too' } } });
  assert.deepEqual(cluster.findDaemonPod(daemonSet)?.metadata.labels, { touched: 'too' });
  await env.client.delete(PODS, { namespace: 'default', name: 'second' }, { gracePeriodSeconds: 0 });
  await env.clock.flush();
  assert.equal(newest(), 'second');
  await env.delete(DAEMON_SETS, 'default/d');
  assert.equal(newest(), undefined);
});

test('no pod of a daemon set is kept when both are gone', async (t) => {
  const { env, cluster } = await start(t);
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'main', image: 'main:1' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template, updateStrategy: { type: 'RollingUpdate' } };
  const daemonSet = await env.create<DaemonSet>(DAEMON_SETS, { metadata: { name: 'd', namespace: 'default' }, spec });
  await env.create(PODS, runningPod('p', 'n', { ownerReferences: ownedBy('DaemonSet', daemonSet.metadata.uid) }));
  await env.delete(DAEMON_SETS, 'default/d');
  await env.change(PODS, 'default/p', { status: { phase: 'Failed' } }); // as the garbage collector ends it
  await env.client.delete(PODS, { namespace: 'default', name: 'p' }, { gracePeriodSeconds: 0 });
  await env.clock.flush();
  assert.equal(cluster.findDaemonPod(daemonSet), undefined);
});

test('consolidation is to look again after what may let it find more, and every five minutes', async (t) => {
  const { env, cluster } = await start(t);
  await env.create(NODES, plainNode('n'));
  const changes = async (act: () => Promise<unknown>): Promise<boolean> => {
    const before = cluster.consolidationState();
    await act();
    return cluster.consolidationState() !== before;
  };
  assert.equal(await changes(() => env.create(NODES, plainNode('m'))), true);
  assert.equal(await changes(() => env.change(NODES, 'm', { metadata: { labels: { a: 'b' } } })), false);
  assert.equal(await changes(() => env.delete(NODES, 'm')), true);
  assert.equal(await changes(() => env.create(PODS, pendingPod('p'))), false);
  assert.equal(await changes(() => env.create(PODS, runningPod('q', 'n'))), true);
  assert.equal(await changes(() => env.change(PODS, 'default/q', { metadata: { labels: { a: 'b' } } })), false);
  assert.equal(await changes(() => env.change(PODS, 'default/q', { status: { phase: 'Succeeded' } })), true);
  assert.equal(await changes(() => env.delete(PODS, 'default/p')), true);
  assert.equal(await changes(() => env.create<NodePool>(NODE_POOLS, readyPool('default'))), true);
  assert.equal(await changes(() => env.change(NODE_POOLS, 'default', { metadata: { labels: { a: 'b' } } })), false);
  assert.equal(await changes(() => env.change(NODE_POOLS, 'default', { spec: { weight: 5 } })), true);
  assert.equal(await changes(async () => cluster.markForDeletion({}, ['n'])), false);
  assert.equal(await changes(() => env.clock.advance(4 * MINUTE)), false);
  assert.equal(await changes(() => env.clock.advance(1 * MINUTE)), true);
});

test('a node that becomes initialised lets consolidation look again', async (t) => {
  const { env, cluster } = await start(t);
  await env.create(NODE_CLAIMS, launchedNodeClaim('a'));
  await env.create(NODES, readyNode('a', { labels: { [INITIALIZED_LABEL]: 'false' } }));
  const before = cluster.consolidationState();
  await env.change(NODES, 'node-of-a', { metadata: { labels: { [INITIALIZED_LABEL]: 'true' } } });
  assert.notEqual(cluster.consolidationState(), before);
});

test('the number of state nodes is exported', async (t) => {
  const { env } = await start(t);
  await env.create(NODES, plainNode('one'));
  await env.create(NODE_CLAIMS, launchedNodeClaim('a'));
  assert.match(await metricsPage(env.metrics), /^karpenter_cluster_state_node_count 2$/m);
  await env.delete(NODES, 'one');
  assert.match(await metricsPage(env.metrics), /^karpenter_cluster_state_node_count 1$/m);
});

function csiNode(name: string, count: number) {
  return { metadata: { name }, spec: { drivers: [{ name: 'ebs.csi.aws.com', nodeID: name, allocatable: { count } }] } };
}

test('others get their turn while state nodes are computed, and the snapshot is of the moment it ends', async (t) => {
  const { env, cluster } = await start(t);
  for (let i = 0; i < 20; i++) await env.create(NODES, plainNode(`n${i}`));
  assert.ok((await countTurns((slices) => cluster.snapshotInSlices(slices))) >= 20);
  let taken: ClusterSnapshot | undefined;
  await countTurns(async (slices) => {
    const taking = cluster.snapshotInSlices(slices);
    // A state node that gets another identity while others are described must not appear twice.
    const renamed = env.client.patch(
      NODES,
      { name: 'n0' },
      { type: 'merge', body: { spec: { providerID: 'x:///0' } } },
    );
    await Promise.all([renamed, env.client.delete(NODES, { name: 'n1' })]);
    taken = await taking;
  });
  const names = taken!.active.map(({ existing }) => existing.name);
  assert.equal(new Set(names).size, names.length);
  await env.clock.flush();
});
