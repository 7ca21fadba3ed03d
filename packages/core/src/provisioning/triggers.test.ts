import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DISRUPTED_TAINT } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODES, type Pod, PODS, type Taint } from '@karpenter-ts/kubernetes';
import { ClusterModel } from '../state/cluster-model.ts';
import { ownedBy, pendingPod, plainNode } from '../testing/cluster-objects.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';
import { nodeTrigger, podTrigger } from './triggers.ts';

/** Runs both triggers; `calls` are the seconds at which the provisioner was called. */
async function start(t: TestContext) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const cluster = new ClusterModel(env);
  const calls: number[] = [];
  const provisioner = { trigger: () => void calls.push(env.clock.elapsed() / SECOND) };
  await env.run(podTrigger(env, provisioner, cluster), nodeTrigger(env, provisioner));
  return { env, cluster, calls };
}

test('a pod without a node triggers, and triggers again every ten seconds until it has one', async (t) => {
  const { env, cluster, calls } = await start(t);
  await env.create(PODS, pendingPod('a'));
  await env.clock.advance(25 * SECOND);
  assert.deepEqual(calls, [0, 10, 20]);
  assert.equal(cluster.decisions.find('default/a')?.seenAt, env.clock.now() - 25 * SECOND);
  await env.client.create(
    PODS,
    { metadata: { name: 'a', namespace: 'default' }, target: { kind: 'Node', name: 'n' } } as never,
    { subresource: 'binding' },
  );
  await env.clock.advance(1 * MINUTE);
  assert.deepEqual(calls, [0, 10, 20]);
});

const UNSCHEDULED = (reason: string): Pod['status'] => ({
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason }],
});

for (const reason of ['SchedulingGated', 'MATCH_NODE_SELECTOR_FAILED']) {
  test(`02/5 a pod that is not scheduled because of ${reason} never calls`, async (t) => {
    const { env, calls } = await start(t);
    await env.create(PODS, pendingPod('a', { status: UNSCHEDULED(reason) }));
    await env.clock.advance(1 * MINUTE);
    assert.deepEqual(calls, []);
  });
}

test('02/6 pods that preempt, run, belong to a daemon set, mirror a file or are being deleted never call', async (t) => {
  const { env, calls } = await start(t);
  const unschedulable = UNSCHEDULED('Unschedulable');
  await env.create(PODS, pendingPod('preempting', { status: { ...unschedulable, nominatedNodeName: 'n' } }));
  await env.create(PODS, pendingPod('bound', { nodeName: 'n' }));
  await env.create(PODS, pendingPod('daemon', { ownerReferences: ownedBy('DaemonSet') }));
  const mirror = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'uid' };
  await env.create(PODS, pendingPod('mirror', { ownerReferences: [mirror] }));
  const held = pendingPod('deleted', {});
  await env.create(PODS, { ...held, metadata: { ...held.metadata, finalizers: ['example.com/held'] } });
  calls.length = 0;
  await env.delete(PODS, 'default/deleted');
  await env.clock.advance(1 * MINUTE);
  assert.deepEqual(calls, []);
});

test('02/7 a node that is to be disrupted calls, and again every ten seconds; one that is merely deleted does not', async (t) => {
  const { env, calls } = await start(t);
  const other: Taint = { ...DISRUPTED_TAINT, effect: 'NoExecute' };
  await env.create(NODES, plainNode('other', { taints: [other] }));
  const deleted = plainNode('deleted');
  await env.create(NODES, { ...deleted, metadata: { ...deleted.metadata, finalizers: ['example.com/held'] } });
  await env.delete(NODES, 'deleted');
  await env.clock.advance(15 * SECOND);
  assert.deepEqual(calls, []);
  await env.create(NODES, plainNode('disrupted', { taints: [DISRUPTED_TAINT] }));
  await env.clock.advance(15 * SECOND);
  assert.deepEqual(calls, [15, 25]);
  await env.change(NODES, 'disrupted', { spec: { taints: [] } });
  await env.clock.advance(1 * MINUTE);
  assert.deepEqual(calls, [15, 25]);
});
