import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISRUPTED_TAINT, NODE_CLAIMS, TERMINATION_FINALIZER, TERMINATION_TIMESTAMP } from '@karpenter-ts/apis';
import { throttle } from '@karpenter-ts/cloudprovider/testing';
import { DONE, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODES, timestamp, VOLUME_ATTACHMENTS } from '@karpenter-ts/kubernetes';
import { createCaches } from '../state/caches.ts';
import { nodeTermination } from './node-termination.ts';
import { addNode, addNodeClaim, startTerminationEnvironment, STAYS } from './testing/termination-environment.ts';

const POLL = { requeueAfter: 1 * SECOND };

test('03/56 an empty node is tainted, then drained for five seconds at least, then let go', async (t) => {
  const env = await startTerminationEnvironment(t);
  await env.deleteNode();
  assert.deepEqual(await env.pass(), POLL);
  assert.equal((await env.condition('Drained'))?.reason, 'Draining');
  assert.equal(env.provider.callsOf('delete').length, 0);
  await env.clock.advance(5 * SECOND);
  assert.deepEqual(await env.pass(), { requeueAfter: 5 * SECOND });
  assert.equal((await env.condition('Drained'))?.status, 'True');
  assert.equal((await env.condition('VolumesDetached'))?.status, 'True');
  assert.equal((await env.condition('InstanceTerminating'))?.status, 'True');
  assert.equal(await env.pass(), DONE);
  assert.equal(await env.node(), undefined);
});

test('a drain that began while the clock was wrong does not wait for that time to come', async (t) => {
  const env = await startTerminationEnvironment(t);
  await env.deleteNode();
  await env.pass();
  const { lastTransitionTime: _, ...drained } = (await env.condition('Drained'))!;
  const ahead = { ...drained, lastTransitionTime: timestamp(env.clock.now() + 30 * MINUTE) };
  await env.change(NODE_CLAIMS, 'c1', { status: { conditions: [ahead] } });
  assert.deepEqual(await env.pass(), { requeueAfter: 5 * SECOND });
  assert.equal((await env.condition('Drained'))?.status, 'True');
});

test('03/135 what ends is counted once each; the drain in the pass that found it done', async (t) => {
  const env = await startTerminationEnvironment(t);
  await env.deleteNode();
  await env.pass();
  await env.clock.advance(5 * SECOND);
  await env.pass();
  assert.match(await env.page(), /karpenter_nodes_drained_total\{nodepool="general"\} 1\n/);
  await env.pass();
  const counted = await env.page();
  assert.match(counted, /karpenter_nodes_drained_total\{nodepool="general"\} 1\n/);
  assert.match(counted, /karpenter_nodes_terminated_total\{nodepool="general",zone="zone-a"\} 1\n/);
  assert.match(counted, /karpenter_nodes_termination_duration_seconds_count\{nodepool="general"\} 1\n/);
  assert.match(counted, /karpenter_nodes_lifetime_duration_seconds_count\{nodepool="general"\} 1\n/);
  assert.ok(env.logger.lines.some(({ message }) => message === 'deleted node'));
});

test('03/57 03/135 without a NodeClaim, or with two, one pass is enough and no instance is deleted', async (t) => {
  const alone = await startTerminationEnvironment(t, { nodeClaim: 'none' });
  await alone.deleteNode();
  assert.equal(await alone.pass(), DONE);
  assert.equal(await alone.node(), undefined);
  assert.doesNotMatch(await alone.page(), /karpenter_nodes_drained_total\{/);

  const twice = await startTerminationEnvironment(t);
  await addNodeClaim(twice, 'c2', {});
  await twice.deleteNode();
  assert.equal(await twice.pass(), DONE);
  assert.equal(twice.provider.callsOf('delete').length, 0);
});

test('03/58 03/123 a node of another provider is left alone', async (t) => {
  const env = await startTerminationEnvironment(t, { node: { metadata: { labels: { 'other/class': 'x' } } } });
  await env.deleteNode();
  assert.equal(await env.pass(), DONE);
  assert.equal(env.logger.lines.length, 0);
  assert.ok((await env.node())?.metadata.finalizers?.includes(TERMINATION_FINALIZER));
});

test('03/59 deleting a Node deletes its NodeClaim', async (t) => {
  const env = await startTerminationEnvironment(t);
  await env.deleteNode();
  await env.pass();
  assert.ok((await env.nodeClaim()).metadata.deletionTimestamp);
});

test('03/60 03/141 the taint and the label come before any eviction; the same key with another effect gives way', async (t) => {
  const other = { key: DISRUPTED_TAINT.key, effect: 'NoExecute' };
  const env = await startTerminationEnvironment(t, { node: { spec: { providerID: 'fake:///one', taints: [other] } } });
  await env.addPod('p');
  await env.deleteNode();
  await env.pass();
  const node = await env.node();
  const taints = node?.spec?.taints?.filter(({ key }) => key === DISRUPTED_TAINT.key);
  assert.deepEqual(taints, [DISRUPTED_TAINT]);
  assert.equal(node?.metadata.labels?.['node.kubernetes.io/exclude-from-external-load-balancers'], 'karpenter');
  assert.equal((await env.pod('p'))?.metadata.deletionTimestamp, undefined);
  const line = env.logger.lines.find(({ message }) => message === 'tainted node');
  assert.equal(line?.fields['taint.Key'], 'karpenter.sh/disrupted');
  assert.equal(line?.fields['taint.Effect'], 'NoSchedule');
});

test('03/61 who tolerates the taint stays and holds nobody up', async (t) => {
  const env = await startTerminationEnvironment(t, { nodeClaim: 'none' });
  await env.addPod('exists', { spec: { tolerations: [STAYS] } });
  await env.addPod('equal', { spec: { tolerations: [{ ...STAYS, operator: 'Equal' }] } });
  await env.deleteNode();
  assert.equal(await env.pass(), DONE);

  const cordoned = await startTerminationEnvironment(t, { nodeClaim: 'none' });
  await cordoned.addPod('p', {
    spec: { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }] },
  });
  await cordoned.deleteNode();
  assert.deepEqual(await cordoned.pass(), POLL);
  assert.equal(cordoned.queue.has((await cordoned.pod('p'))!), true);
});

test('03/62 pods that are done, or mirror a file, are not waited for', async (t) => {
  const env = await startTerminationEnvironment(t, { nodeClaim: 'none' });
  await env.addPod('failed', { status: { phase: 'Failed' } });
  await env.addPod('succeeded', { status: { phase: 'Succeeded' } });
  const node = await env.node();
  await env.addPod('mirror', {
    metadata: {
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: node?.metadata.uid, controller: true }],
    },
  });
  await env.deleteNode();
  assert.equal(await env.pass(), DONE);
});

test('03/70 03/71 a Node that is not ready is released at once when its instance is gone, and not while that is unknown', async (t) => {
  const notReady = { status: { conditions: [{ type: 'Ready', status: 'False' }] } };
  const env = await startTerminationEnvironment(t, { node: notReady });
  await env.addPod('p');
  await env.deleteNode();
  env.provider.script('get', throttle());
  await assert.rejects(env.pass(), /getting nodeclaim, request limit exceeded/);
  assert.ok(await env.node());
  env.provider.removeInstance('fake:///one');
  assert.equal(await env.pass(), DONE);
  assert.equal(await env.node(), undefined);

  const ready = await startTerminationEnvironment(t);
  await ready.addPod('p');
  await ready.deleteNode();
  ready.provider.removeInstance('fake:///one');
  assert.deepEqual(await ready.pass(), POLL);
  assert.equal(ready.provider.callsOf('get').length, 0);
});

test('03/72 who is second to write the node comes back', async (t) => {
  const env = await startTerminationEnvironment(t);
  await env.deleteNode();
  env.refusals.add({ method: 'PATCH', path: /nodes\/n1$/, code: 409 });
  await assert.rejects(env.pass(), /tainting node.*taint=karpenter\.sh\/disrupted:NoSchedule/);
  assert.deepEqual(await env.pass(), POLL);
});

test('03/51 an instance that cannot be deleted now is tried again, and no finalizer is removed', async (t) => {
  const env = await startTerminationEnvironment(t);
  await env.deleteNode();
  await env.pass();
  await env.clock.advance(5 * SECOND);
  env.provider.script('delete', throttle());
  await assert.rejects(env.pass(), /request limit exceeded/);
  assert.equal((await env.condition('Drained'))?.status, 'True');
  assert.equal(await env.condition('InstanceTerminating'), undefined);
  assert.ok((await env.node())?.metadata.finalizers?.includes(TERMINATION_FINALIZER));
});

test('03/82 03/142 an attached volume is waited for, whosever it is', async (t) => {
  const env = await startTerminationEnvironment(t);
  await env.attach('va');
  await env.deleteNode();
  await env.pass();
  await env.clock.advance(5 * SECOND);
  assert.deepEqual(await env.pass(), POLL);
  assert.equal((await env.condition('VolumesDetached'))?.reason, 'AwaitingVolumeDetachment');
  assert.deepEqual(env.messages('AwaitingVolumeDetachment'), ['Awaiting deletion of bound volumeattachments (va)']);
  await env.delete(VOLUME_ATTACHMENTS, 'va');
  await env.pass();
  assert.equal((await env.condition('VolumesDetached'))?.status, 'True');
});

test('03/83 volumes of pods that stay are not waited for', async (t) => {
  const env = await startTerminationEnvironment(t, { nodeClaim: 'none' });
  await env.attach('va', 'data');
  await env.addPod('p', {
    spec: {
      tolerations: [STAYS],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
      containers: [{ name: 'main', image: 'image' }],
    },
  });
  await env.deleteNode();
  assert.equal(await env.pass(), DONE);
});

test('03/84 after the deadline volumes are no longer waited for', async (t) => {
  const env = await startTerminationEnvironment(t, { nodeClaim: { spec: { terminationGracePeriod: '10s' } } });
  await env.attach('va');
  await env.deleteNode();
  await env.pass();
  await env.clock.advance(11 * SECOND);
  await env.pass();
  assert.equal((await env.condition('VolumesDetached'))?.reason, 'TerminationGracePeriodElapsed');
  assert.equal((await env.condition('VolumesDetached'))?.status, 'False');
  assert.equal(env.provider.callsOf('delete').length, 1);
});

test('03/85 the event names five volumes; an attachment without one holds nobody up', async (t) => {
  const env = await startTerminationEnvironment(t);
  for (const i of [1, 2, 3, 4, 5, 6, 7]) await env.attach(`va-${i}`);
  await env.create(VOLUME_ATTACHMENTS, {
    metadata: { name: 'inline' },
    spec: {
      attacher: 'd',
      nodeName: 'n1',
      source: {
        inlineVolumeSpec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          csi: { driver: 'd', volumeHandle: 'x' },
        },
      },
    },
  } as never);
  await env.deleteNode();
  await env.pass();
  await env.clock.advance(5 * SECOND);
  await env.pass();
  const [message = ''] = env.messages('AwaitingVolumeDetachment');
  assert.match(message, /\((va-\d, ){4}va-\d and 2 other\(s\)\)$/);
});

test('03/139 a pod that comes late is waited for, and what was drained stays so', async (t) => {
  const env = await startTerminationEnvironment(t, { outlivedDeletes: 5 });
  await env.deleteNode();
  await env.pass();
  await env.clock.advance(5 * SECOND);
  await env.pass();
  await env.addPod('late');
  const ends = env.provider.callsOf('delete').length;
  assert.deepEqual(await env.pass(), POLL);
  assert.equal((await env.condition('Drained'))?.status, 'True');
  assert.equal(env.provider.callsOf('delete').length, ends);
});

test('a pod that the cache has not seen yet is drained before its instance is deleted', async (t) => {
  const env = await startTerminationEnvironment(t);
  const { queue } = env;
  const blind = { ...env.caches, pods: createCaches(env).pods }; // as while its watch is down
  const controller = nodeTermination({ ...env, caches: blind }, queue);
  const pod = await env.addPod('unseen');
  await env.deleteNode();
  await env.reconcile(controller, 'n1');
  await env.clock.advance(5 * SECOND);
  assert.deepEqual(await env.reconcile(controller, 'n1'), POLL);
  assert.equal(env.provider.callsOf('delete').length, 0);
  assert.ok(queue.has(pod));
  assert.deepEqual(env.messages('FailedDraining'), ['Failed to drain node, 1 pods are waiting to be evicted']);
  await env.stopPod('unseen');
  assert.deepEqual(await env.reconcile(controller, 'n1'), { requeueAfter: 5 * SECOND });
  assert.equal((await env.condition('Drained'))?.status, 'True');
});

test('03/81 a deadline nobody can read is reported and counts as none', async (t) => {
  const annotations = { [TERMINATION_TIMESTAMP]: 'soon' };
  const env = await startTerminationEnvironment(t, { nodeClaim: { metadata: { annotations } } });
  await env.deleteNode();
  assert.deepEqual(await env.pass(), POLL);
  assert.deepEqual(env.messages('TerminationGracePeriodExpiring'), ['All pods will be deleted by soon']);
  assert.ok(env.logger.lines.some(({ message }) => message.includes('not a time')));
});

test('03/73 03/134 ten nodes go at once, pods without an owner included', async (t) => {
  const env = await startTerminationEnvironment(t, { nodeClaim: 'none' });
  const names = Array.from({ length: 9 }, (_, i) => `m${i}`);
  for (const name of names) {
    await addNode(env, name, { spec: { providerID: `fake:///${name}` } });
    await env.addPod(`on-${name}`, { spec: { nodeName: name } });
  }
  await env.runControllers();
  for (const name of ['n1', ...names]) await env.deleteNode(name);
  await env.eventually(async () => {
    const pods = await Promise.all(names.map((name) => env.pod(`on-${name}`)));
    return pods.every((pod) => pod?.metadata.deletionTimestamp !== undefined);
  }, 30);
  for (const name of names) await env.stopPod(`on-${name}`);
  await env.eventually(async () => {
    const left = await Promise.all(['n1', ...names].map((name) => env.find(NODES, name)));
    return left.every((node) => node === undefined);
  }, 30);
});

test('03/125 the NodeClaim of a deleting node stays ready, and all its conditions are of its generation', async (t) => {
  const env = await startTerminationEnvironment(t, { outlivedDeletes: 3 });
  await env.deleteNode();
  await env.pass();
  await env.clock.advance(5 * SECOND);
  await env.pass();
  const { metadata, status } = await env.nodeClaim();
  assert.equal((await env.condition('Ready'))?.status, 'True');
  for (const { observedGeneration } of status?.conditions ?? []) assert.equal(observedGeneration, metadata.generation);
  await env.delete(NODE_CLAIMS, 'c1');
});
