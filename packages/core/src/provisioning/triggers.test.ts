import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DISRUPTED_TAINT, type TaintSpec } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODES, PODS } from '@karpenter-ts/kubernetes';
import { ClusterModel } from '../state/cluster-model.ts';
import type { Pod } from '../kinds/pod.ts';
import { ownedBy, pendingPod, plainNode } from '../testing/cluster-objects.ts';
import { startRig } from '../testing/rig.ts';
import { nodeTrigger, podTrigger } from './triggers.ts';

/** Runs both triggers; `calls` are the seconds at which the provisioner was called. */
async function start(t: TestContext) {
  const rig = await startRig(t, { provider: new FakeCloudProvider() });
  const cluster = new ClusterModel(rig);
  const calls: number[] = [];
  const provisioner = { trigger: () => void calls.push(rig.clock.elapsed() / SECOND) };
  await rig.run(podTrigger(rig, provisioner, cluster), nodeTrigger(rig, provisioner));
  return { rig, cluster, calls };
}

test('a pod without a place calls, and calls again every ten seconds until it has one', async (t) => {
  const { rig, cluster, calls } = await start(t);
  await rig.create(PODS, pendingPod('a'));
  await rig.clock.advance(25 * SECOND);
  assert.deepEqual(calls, [0, 10, 20]);
  assert.equal(cluster.decisions.find('default/a')?.seenAt, rig.clock.now() - 25 * SECOND);
  await rig.client.create(
    PODS,
    { metadata: { name: 'a', namespace: 'default' }, target: { kind: 'Node', name: 'n' } } as never,
    { subresource: 'binding' },
  );
  await rig.clock.advance(1 * MINUTE);
  assert.deepEqual(calls, [0, 10, 20]);
});

const UNSCHEDULED = (reason: string): Pod['status'] => ({
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason }],
});

for (const reason of ['SchedulingGated', 'MATCH_NODE_SELECTOR_FAILED']) {
  test(`02/5 a pod that is not scheduled because of ${reason} never calls`, async (t) => {
    const { rig, calls } = await start(t);
    await rig.create(PODS, pendingPod('a', { status: UNSCHEDULED(reason) }));
    await rig.clock.advance(1 * MINUTE);
    assert.deepEqual(calls, []);
  });
}

test('02/6 pods that preempt, run, belong to a daemon set, mirror a file or are being deleted never call', async (t) => {
  const { rig, calls } = await start(t);
  const unschedulable = UNSCHEDULED('Unschedulable');
  await rig.create(PODS, pendingPod('preempting', { status: { ...unschedulable, nominatedNodeName: 'n' } }));
  await rig.create(PODS, pendingPod('bound', { nodeName: 'n' }));
  await rig.create(PODS, pendingPod('daemon', { ownerReferences: ownedBy('DaemonSet') }));
  const mirror = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'uid' };
  await rig.create(PODS, pendingPod('mirror', { ownerReferences: [mirror] }));
  const held = pendingPod('deleted', {});
  await rig.create(PODS, { ...held, metadata: { ...held.metadata, finalizers: ['example.com/held'] } });
  calls.length = 0;
  await rig.delete(PODS, 'default/deleted');
  await rig.clock.advance(1 * MINUTE);
  assert.deepEqual(calls, []);
});

test('02/7 a node that is to be disrupted calls, and again every ten seconds; one that is merely deleted does not', async (t) => {
  const { rig, calls } = await start(t);
  const other: TaintSpec = { ...DISRUPTED_TAINT, effect: 'NoExecute' };
  await rig.create(NODES, plainNode('other', { taints: [other] }));
  const deleted = plainNode('deleted');
  await rig.create(NODES, { ...deleted, metadata: { ...deleted.metadata, finalizers: ['example.com/held'] } });
  await rig.delete(NODES, 'deleted');
  await rig.clock.advance(15 * SECOND);
  assert.deepEqual(calls, []);
  await rig.create(NODES, plainNode('leaving', { taints: [DISRUPTED_TAINT] }));
  await rig.clock.advance(15 * SECOND);
  assert.deepEqual(calls, [15, 25]);
  await rig.change(NODES, 'leaving', { spec: { taints: [] } });
  await rig.clock.advance(1 * MINUTE);
  assert.deepEqual(calls, [15, 25]);
});
