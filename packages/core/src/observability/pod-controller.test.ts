import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { SECOND } from '@karpenter-ts/runtime';
import { NODES, type Pod, PODS, timestamp } from '@karpenter-ts/kubernetes';
import { PodDecisions } from '../state/pod-decisions.ts';
import { ownedBy, pendingPod, plainNode, readyNode, runningPod } from '../testing/cluster-objects.ts';
import { type TestEnvironment, startTestEnvironment } from '../testing/test-environment.ts';
import { podMetricsController } from './pod-controller.ts';

const POD = 'default/a';

async function start(t: TestContext) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const decisions = new PodDecisions(env);
  await env.run(podMetricsController(env, decisions));
  return { env, decisions, lines: (name: string) => linesOf(env, name) };
}

/** As the cache has it. */
function podOf(env: TestEnvironment): Pod {
  return env.caches.pods.get(POD)!;
}

/** Samples of `karpenter_pods_<name>`, without that. */
async function linesOf(env: TestEnvironment, name: string): Promise<readonly string[]> {
  const prefix = `karpenter_pods_${name}`;
  const lines = (await env.page()).split('\n').filter((line) => line.startsWith(prefix));
  return lines.map((line) => line.slice(prefix.length));
}

/** The pod as its kubelet reports it now. */
async function report(env: TestEnvironment, phase: string, ...conditions: readonly string[]): Promise<void> {
  const lastTransitionTime = timestamp(env.clock.now());
  const status: Pod['status'] = {
    phase,
    conditions: conditions.map((type) => ({ type, status: 'True', lastTransitionTime })),
  };
  await env.change(PODS, POD, { status });
}

async function bind(env: TestEnvironment, node: string): Promise<void> {
  const binding = { metadata: { name: 'a', namespace: 'default' }, target: { kind: 'Node', name: node } };
  await env.client.create(PODS, binding, { subresource: 'binding' });
}

const LABELS = '{name="a",namespace="default"}';

test('05/48 a pod keeps one series, with its new phase', async (t) => {
  const { env, lines } = await start(t);
  await env.create(PODS, pendingPod('a', { ownerReferences: ownedBy('ReplicaSet') }));
  const labels = (phase: string, ready: boolean) =>
    `{arch="",capacity_type="",instance_type="",managed="false",name="a",namespace="default",node="",nodepool="",` +
    `owner="/apis/apps/v1/namespaces/default/replicasets/owner",phase="${phase}",ready="${ready}",scheduled="false",zone=""} 1`;
  assert.deepEqual(await lines('state'), [labels('Pending', false)]);
  await report(env, 'Running', 'Ready');
  assert.deepEqual(await lines('state'), [labels('Running', true)]);
  await env.delete(PODS, POD);
  await env.clock.advance(60 * SECOND);
  assert.deepEqual(await lines('state'), []);
});

test('05/49 a pod is managed if its Node is of a NodePool, whose labels it shows', async (t) => {
  const { env, lines } = await start(t);
  const labels = {
    'topology.kubernetes.io/zone': 'zone-1',
    'karpenter.sh/capacity-type': 'spot',
    'kubernetes.io/arch': 'arm64',
  };
  await env.create(NODES, readyNode('c', { labels }));
  await env.create(NODES, plainNode('plain'));
  await env.create(PODS, runningPod('a', 'node-of-c'));
  await env.create(PODS, runningPod('b', 'plain'));
  await env.create(PODS, runningPod('c', 'unknown'));
  const shown = (await lines('state')).map((line) => line.replace(/,(namespace|owner|phase|ready)="[^"]*"/g, ''));
  assert.deepEqual(shown.sort(), [
    '{arch="",capacity_type="",instance_type="",managed="false",name="b",node="plain",nodepool="",scheduled="true",zone=""} 1',
    '{arch="",capacity_type="",instance_type="",managed="false",name="c",node="unknown",nodepool="",scheduled="true",zone=""} 1',
    '{arch="arm64",capacity_type="spot",instance_type="default-instance-type",managed="true",name="a",node="node-of-c",nodepool="default",scheduled="true",zone="zone-1"} 1',
  ]);
});

test('05/50 a pod that waits is shown with its age until it is bound and ready, and then measured once', async (t) => {
  const { env, decisions, lines } = await start(t);
  await env.create(PODS, pendingPod('a'));
  await env.clock.advance(4 * SECOND);
  decisions.place(podOf(env), true);
  await env.clock.advance(3 * SECOND);
  for (const wait of ['unbound_time_seconds', 'unstarted_time_seconds']) {
    assert.deepEqual(await lines(wait), [`${LABELS} 7`]);
    assert.deepEqual(await lines(`provisioning_${wait}`), [`${LABELS} 3`]);
  }
  await report(env, 'Pending', 'PodScheduled');
  assert.deepEqual(await lines('unbound_time_seconds'), []);
  assert.deepEqual(await lines('bound_duration_seconds_count'), []);
  await report(env, 'Running', 'PodScheduled');
  assert.deepEqual(await lines('bound_duration_seconds_sum'), [' 7']);
  assert.deepEqual(await lines('provisioning_bound_duration_seconds_sum'), [' 3']);
  assert.deepEqual(await lines('unstarted_time_seconds'), [`${LABELS} 7`]);
  await env.clock.advance(5 * SECOND);
  for (let i = 0; i < 2; i++) await report(env, 'Running', 'PodScheduled', 'Ready');
  assert.deepEqual(await lines('unstarted_time_seconds'), []);
  assert.deepEqual(await lines('provisioning_unstarted_time_seconds'), []);
  assert.deepEqual(await lines('startup_duration_seconds_sum'), [' 12']);
  assert.deepEqual(await lines('startup_duration_seconds_count'), [' 1']);
  assert.deepEqual(await lines('startup_duration_seconds{quantile="0.99"}'), [' 12']);
  assert.deepEqual(await lines('provisioning_startup_duration_seconds_sum'), [' 8']);
  assert.deepEqual(await lines('bound_duration_seconds_count'), [' 1']);
  assert.equal(decisions.find(POD), undefined);
});

test('a pod that was never seen waiting is not measured', async (t) => {
  const { env, lines } = await start(t);
  await env.client.create(PODS, { ...runningPod('a', 'n'), apiVersion: 'v1', kind: 'Pod' });
  await env.client.patch(
    PODS,
    { name: 'a', namespace: 'default' },
    { type: 'merge', body: { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } } },
    { subresource: 'status' },
  );
  await env.clock.flush();
  assert.deepEqual(await lines('startup_duration_seconds'), []);
  assert.deepEqual(await lines('unstarted_time_seconds'), []);
});

for (const phase of ['Succeeded', 'Failed']) {
  test(`05/51 a pod that has ${phase} is neither waited for nor measured`, async (t) => {
    const { env, decisions, lines } = await start(t);
    await env.create(PODS, pendingPod('a'));
    decisions.see(podOf(env));
    await report(env, phase);
    assert.deepEqual(await lines('unstarted_time_seconds'), []);
    assert.deepEqual(await lines('unbound_time_seconds'), []);
    assert.deepEqual(await lines('startup_duration_seconds'), []);
    assert.equal(decisions.find(POD), undefined);
  });
}

const ENDS: Readonly<Record<string, (env: TestEnvironment, decisions: PodDecisions) => unknown>> = {
  'is placed': (env, decisions) => decisions.place(podOf(env), true),
  'is refused': (env, decisions) => decisions.fail(podOf(env), { why: 'NoUsablePools' }),
  'is scheduled': (env) => report(env, 'Pending', 'PodScheduled'),
  'has a Node, though no condition says so': async (env) => {
    await bind(env, 'n');
    await env.change(PODS, POD, { status: { conditions: [] } });
    assert.deepEqual((await env.get<Pod>(PODS, POD)).status?.conditions ?? [], []);
  },
  'is done': (env) => report(env, 'Failed'),
  'is deleted': (env) => env.delete(PODS, POD),
};

for (const [what, end] of Object.entries(ENDS)) {
  test(`05/52 a pod is shown as undecided from when it is seen until it ${what}`, async (t) => {
    const { env, decisions, lines } = await start(t);
    await env.create(PODS, pendingPod('a', { terminationGracePeriodSeconds: 0 }));
    assert.deepEqual(await lines('provisioning_scheduling_undecided_time_seconds'), []);
    decisions.see(podOf(env));
    await env.clock.advance(2 * SECOND);
    assert.deepEqual(await lines('provisioning_scheduling_undecided_time_seconds'), [`${LABELS} 2`]);
    await end(env, decisions);
    assert.deepEqual(await lines('provisioning_scheduling_undecided_time_seconds'), []);
  });
}

test('05/53 a pod that has lost its node is not shown as waiting for it', async (t) => {
  const { env, decisions, lines } = await start(t);
  await env.create(PODS, pendingPod('a'));
  decisions.place(podOf(env), true);
  for (const wait of ['unbound_time_seconds', 'unstarted_time_seconds']) {
    assert.deepEqual(await lines(`provisioning_${wait}`), [`${LABELS} 0`]);
  }
  decisions.fail(podOf(env), { why: 'NoUsablePools' });
  for (const wait of ['unbound_time_seconds', 'unstarted_time_seconds']) {
    assert.deepEqual(await lines(`provisioning_${wait}`), []);
    assert.deepEqual(await lines(wait), [`${LABELS} 0`]);
  }
});
