import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AWS_PROFILE, NODE_CLAIMS } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { SECOND } from '@karpenter-ts/runtime';
import { NODES, PODS } from '@karpenter-ts/kubernetes';
import { ClusterModel } from '../state/cluster-model.ts';
import { launchedNodeClaim, ownedBy, plainNode, readyNode, runningPod } from '../testing/cluster-objects.ts';
import { makeNode } from '../testing/objects.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';
import { nodeMetricsController } from './node-controller.ts';
import { nodeMetricsOf } from './node-metrics.ts';

const CAPACITY = { cpu: '5000', memory: '32Gi', pods: '100' };

/** `amounts` are the samples of one gauge: what they are of, and how many. */
async function start(t: TestContext) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const cluster = new ClusterModel(env);
  await env.run(nodeMetricsController(env, cluster));
  const lines = async (name: string) =>
    (await env.page()).split('\n').filter((line) => line.startsWith(`karpenter_${name}{`));
  const amounts = async (name: string) =>
    Object.fromEntries(
      (await lines(name)).map((line) => {
        const [, resourceType, value] = /resource_type="([^"]+)".*\} (\S+)$/.exec(line)!;
        return [resourceType!, Number(value)];
      }),
    );
  const look = () => env.clock.advance(5 * SECOND);
  return { env, lines, amounts, look };
}

test('05/45 a Node shows its resources, and whether it has a NodeClaim', async (t) => {
  const { env, lines, look } = await start(t);
  await env.create(NODES, plainNode('n1', { capacity: CAPACITY, labels: { 'kubernetes.io/arch': 'arm64' } }));
  await look();
  const labels = (type: string) =>
    `karpenter_nodes_allocatable{arch="arm64",capacity_type="",instance_type="",managed="false",node_name="n1",` +
    `nodepool="",os="",phase="",region="",resource_type="${type}",windows_build="",zone=""}`;
  assert.deepEqual(await lines('nodes_allocatable'), [
    `${labels('cpu')} 5000`,
    `${labels('memory')} 3.4359738368e+10`,
    `${labels('pods')} 100`,
  ]);
  await env.create(NODE_CLAIMS, launchedNodeClaim('c'));
  await env.create(NODES, readyNode('c', { capacity: CAPACITY }));
  await look();
  const managed = (await lines('nodes_allocatable')).filter((line) => line.includes('managed="true"'));
  assert.equal(managed.length, 3);
  assert.ok(managed.every((line) => line.includes('node_name="node-of-c",nodepool="default"')));
});

test('05/46 a Node that goes takes its series along; without pods nothing is in use', async (t) => {
  const { env, amounts, lines, look } = await start(t);
  await env.create(NODES, plainNode('n1', { capacity: { ...CAPACITY, 'example.com/none': '0' } }));
  await look();
  assert.deepEqual(await amounts('cluster_utilization_percent'), { cpu: 0, memory: 0, pods: 0 });
  assert.equal((await lines('nodes_current_lifetime_seconds')).length, 1);
  await env.delete(NODES, 'n1');
  await look();
  const page = await env.page();
  assert.ok(!page.includes('karpenter_nodes_') && !page.includes('karpenter_cluster_utilization_percent'), page);
});

test('what pods ask for and may have is added up, that of daemons also for itself; those that are done count no more', async (t) => {
  const { env, amounts, look } = await start(t);
  await env.create(
    NODES,
    plainNode('n1', { capacity: { cpu: '4', memory: '8Gi', pods: '10', 'ephemeral-storage': '1Gi' } }),
  );
  const resources = { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '2Gi' } };
  const containers = [{ name: 'main', image: 'main:1', resources }];
  await env.create(PODS, runningPod('a', 'n1', { requests: { cpu: '1500m' } }));
  await env.create(PODS, runningPod('d', 'n1', { containers, ownerReferences: ownedBy('DaemonSet') }));
  await look();
  const gi = 2 ** 30;
  assert.deepEqual(await amounts('nodes_total_pod_requests'), { cpu: 2, memory: gi, pods: 2 });
  assert.deepEqual(await amounts('nodes_total_pod_limits'), { memory: 2 * gi, pods: 2 });
  assert.deepEqual(await amounts('nodes_total_daemon_requests'), { cpu: 0.5, memory: gi, pods: 1 });
  assert.deepEqual(await amounts('nodes_total_daemon_limits'), { memory: 2 * gi, pods: 1 });
  assert.deepEqual(await amounts('cluster_utilization_percent'), {
    cpu: 50,
    memory: 12.5,
    pods: 20,
    ephemeral_storage: 0,
  });
  await env.change(PODS, 'default/a', { status: { phase: 'Succeeded' } });
  await look();
  assert.deepEqual(await amounts('nodes_total_pod_requests'), { cpu: 0.5, memory: gi, pods: 1 });
});

test('what the system keeps is the difference of capacity and allocatable; a Node has an age', async (t) => {
  const { env, amounts, lines, look } = await start(t);
  const status = { capacity: { cpu: '4', pods: '10' }, allocatable: { cpu: '3900m', pods: '10' }, phase: 'Running' };
  await env.create(NODES, makeNode('n1', { status }));
  await look();
  assert.deepEqual(await amounts('nodes_system_overhead'), { cpu: 0.1, pods: 0 });
  await env.clock.advance(55 * SECOND);
  const [age] = await lines('nodes_current_lifetime_seconds');
  assert.match(age!, /node_name="n1",nodepool="",os="",phase="Running",.*\} 60$/);
});

test('nodes are looked at only after a change, and one that happens during a look is seen by the next', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const cluster = new ClusterModel(env);
  let looks = 0;
  const watched = {
    get revision() {
      return cluster.revision;
    },
    snapshotInSlices: async (...given: Parameters<ClusterModel['snapshotInSlices']>) => {
      const snapshot = await cluster.snapshotInSlices(...given);
      if (++looks === 2) {
        await env.client.create(NODES, plainNode('late', { capacity: CAPACITY }));
        while (cluster.find('late') === undefined) await new Promise((resolve) => setImmediate(resolve));
      }
      return snapshot;
    },
  };
  await env.run(nodeMetricsController(env, watched));
  await env.clock.advance(60 * SECOND);
  assert.equal(looks, 1, 'nothing has changed');
  await env.create(NODES, plainNode('n1', { capacity: CAPACITY }));
  await env.create(PODS, runningPod('a', 'n1', { requests: { cpu: '1' } }));
  await env.clock.advance(60 * SECOND);
  assert.equal(looks, 3, 'two changes');
  const shown = (await env.page()).split('\n').filter((line) => line.startsWith('karpenter_nodes_allocatable{'));
  assert.deepEqual(new Set(shown.map((line) => /node_name="([^"]+)"/.exec(line)![1])), new Set(['n1', 'late']));
  cluster.nominate('n1');
  await env.clock.advance(5 * SECOND);
  assert.equal(looks, 4);
});

test('an instance without a Node shows nothing', async (t) => {
  const { env, lines, look } = await start(t);
  await env.create(NODE_CLAIMS, launchedNodeClaim('c'));
  await look();
  assert.deepEqual(await lines('nodes_allocatable'), []);
});

test('with AWS a Node shows 36 of its labels, by the part after the prefix', () => {
  const { sources, lifetimeSeconds } = nodeMetricsOf(AWS_PROFILE);
  assert.equal(sources.size, 36);
  assert.equal(
    sources.get('instance_cpu_sustained_clock_speed_mhz'),
    'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz',
  );
  assert.equal(sources.get('zone_id'), 'topology.k8s.aws/zone-id');
  assert.deepEqual(lifetimeSeconds.labelNames, [...sources.keys(), 'node_name', 'phase', 'managed'].sort());
});
