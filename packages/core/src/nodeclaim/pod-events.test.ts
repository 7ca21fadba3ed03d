import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeClaim } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { NODES, PODS, timestamp } from '@karpenter-ts/kubernetes';
import { FOREIGN_CLASS_REF, makeNode, makeNodeClaim, makePod } from '../testing/objects.ts';
import { type Rig, startRig } from '../testing/rig.ts';
import { podEventsController } from './pod-events.ts';

const BINDINGS = { subresource: 'binding' };

/** A claim `c1` with its Node `n1`, and the controller, unless it shall come later. */
async function start(t: Parameters<typeof startRig>[0], { runs = true } = {}): Promise<Rig> {
  const rig = await startRig(t, { provider: new FakeCloudProvider() });
  await rig.create(NODE_CLAIMS, makeNodeClaim('c1', { status: { providerID: 'p1' } }));
  await rig.create(NODES, makeNode('n1', { providerID: 'p1' }));
  if (runs) await rig.run(podEventsController(rig));
  return rig;
}

async function bind(rig: Rig, name: string): Promise<void> {
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace: 'default' },
    target: { kind: 'Node', name: 'n1' },
  };
  await rig.client.create(PODS, binding, BINDINGS);
  await rig.clock.settle();
}

async function noted(rig: Rig): Promise<string | undefined> {
  return (await rig.get<NodeClaim>(NODE_CLAIMS, 'c1')).status?.lastPodEventTime;
}

test('03/109 a pod that is bound, ends or is told to go is noted, but not twice within 10 s', async (t) => {
  const rig = await start(t);
  await rig.create(PODS, makePod('a'));
  assert.equal(await noted(rig), undefined);
  await bind(rig, 'a');
  const bound = timestamp(rig.clock.now());
  assert.equal(await noted(rig), bound);
  await rig.clock.advance(9 * SECOND);
  await rig.change(PODS, 'default/a', { status: { phase: 'Succeeded' } });
  assert.equal(await noted(rig), bound);
  await rig.create(PODS, makePod('b', { nodeName: 'n1', terminationGracePeriodSeconds: 30 }));
  await rig.clock.advance(1 * SECOND);
  await rig.delete(PODS, 'default/b');
  assert.equal(await noted(rig), timestamp(rig.clock.now()));
  await rig.clock.advance(1 * MINUTE);
  await rig.create(PODS, makePod('c', { nodeName: 'n1' }));
  await rig.clock.advance(10 * SECOND);
  await rig.change(PODS, 'default/c', { status: { phase: 'Failed' } });
  assert.equal(await noted(rig), timestamp(rig.clock.now()));
});

test('03/109 daemon pods, changes that move nothing and strange Nodes are not noted', async (t) => {
  const rig = await start(t);
  const daemon = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'ds', uid: 'u' };
  await rig.create(PODS, makePod('daemon', { nodeName: 'n1', ownerReferences: [daemon] }));
  await rig.create(PODS, makePod('elsewhere', { nodeName: 'n2' }));
  assert.equal(await noted(rig), undefined);
  await rig.create(PODS, makePod('a', { nodeName: 'n1' }));
  const first = await noted(rig);
  await rig.clock.advance(1 * MINUTE);
  await rig.change(PODS, 'default/a', { metadata: { labels: { x: 'y' } } });
  await rig.change(PODS, 'default/a', { status: { phase: 'Running' } });
  assert.equal(await noted(rig), first);
});

test('03/109 a claim of another provider, or one of two, is not noted', async (t) => {
  const rig = await start(t);
  await rig.create(
    NODE_CLAIMS,
    makeNodeClaim('foreign', { nodeClassRef: FOREIGN_CLASS_REF, status: { providerID: 'p2' } }),
  );
  await rig.create(NODES, makeNode('n2', { providerID: 'p2' }));
  await rig.create(PODS, makePod('a', { nodeName: 'n2' }));
  await rig.create(NODE_CLAIMS, makeNodeClaim('twin', { status: { providerID: 'p1' } }));
  await rig.create(PODS, makePod('b', { nodeName: 'n1' }));
  for (const name of ['foreign', 'twin', 'c1']) {
    assert.equal((await rig.get<NodeClaim>(NODE_CLAIMS, name)).status?.lastPodEventTime, undefined, name);
  }
});

test('a restart moves nothing, and what happened while away counts from when it happened', async (t) => {
  const rig = await start(t, { runs: false });
  const lastTransitionTime = timestamp(rig.clock.now());
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime };
  await rig.create(PODS, makePod('old', { nodeName: 'n1', status: { conditions: [scheduled] } }));
  await rig.clock.advance(10 * MINUTE);
  await rig.run(podEventsController(rig));
  assert.equal(await noted(rig), lastTransitionTime);
  const { resourceVersion } = (await rig.get(NODE_CLAIMS, 'c1')).metadata;
  await rig.run({ ...podEventsController(rig), name: 'again' });
  assert.equal((await rig.get(NODE_CLAIMS, 'c1')).metadata.resourceVersion, resourceVersion);
});

test('the end of many pods on many Nodes is noted on each of them with one write', async (t) => {
  const rig = await start(t);
  const nodes = Array.from({ length: 20 }, (_, i) => `m${i}`);
  for (const name of nodes) {
    await rig.create(NODE_CLAIMS, makeNodeClaim(name, { status: { providerID: name } }));
    await rig.create(NODES, makeNode(name, { providerID: name }));
    for (let i = 0; i < 5; i++) await rig.create(PODS, makePod(`${name}-${i}`, { nodeName: name }));
  }
  await rig.clock.advance(1 * MINUTE);
  rig.writes.length = 0;
  const phase = { status: { phase: 'Succeeded' } };
  await Promise.all(
    nodes.flatMap((name) =>
      Array.from({ length: 5 }, (_, i) =>
        rig.client.patch(
          PODS,
          { namespace: 'default', name: `${name}-${i}` },
          { type: 'merge', body: phase },
          { subresource: 'status' },
        ),
      ),
    ),
  );
  await rig.clock.settle();
  assert.equal(rig.writes.filter((write) => write.includes('/nodeclaims/')).length, 20);
  for (const name of nodes) {
    assert.equal((await rig.get<NodeClaim>(NODE_CLAIMS, name)).status?.lastPodEventTime, timestamp(rig.clock.now()));
  }
});
