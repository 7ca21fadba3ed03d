import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_CLAIMS, NODE_POOLS, type NodeClaim, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODES, PODS, timestamp } from '@karpenter-ts/kubernetes';
import { FOREIGN_CLASS_REF, makeNode, makeNodeClaim, makeNodePool, makePod } from '../testing/objects.ts';
import { type TestEnvironment, startTestEnvironment } from '../testing/test-environment.ts';
import { podEventsController } from './pod-events.ts';

const BINDINGS = { subresource: 'binding' };

/** A NodeClaim `c1` with its Node `n1`, and the controller, unless it shall come later. */
async function start(t: Parameters<typeof startTestEnvironment>[0], { runs = true } = {}): Promise<TestEnvironment> {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  await env.create(NODE_CLAIMS, makeNodeClaim('c1', { status: { providerID: 'p1' } }));
  await env.create(NODES, makeNode('n1', { providerID: 'p1' }));
  if (runs) await env.run(podEventsController(env));
  return env;
}

async function bind(env: TestEnvironment, name: string): Promise<void> {
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace: 'default' },
    target: { kind: 'Node', name: 'n1' },
  };
  await env.client.create(PODS, binding, BINDINGS);
  await env.clock.flush();
}

async function noted(env: TestEnvironment): Promise<string | undefined> {
  return (await env.get<NodeClaim>(NODE_CLAIMS, 'c1')).status?.lastPodEventTime;
}

test('03/109 04/86 a pod that is bound, ends or is told to go is noted, but not twice within 10 s', async (t) => {
  const env = await start(t);
  await env.create(PODS, makePod('a'));
  assert.equal(await noted(env), undefined);
  await bind(env, 'a');
  const bound = timestamp(env.clock.now());
  assert.equal(await noted(env), bound);
  await env.clock.advance(9 * SECOND);
  await env.change(PODS, 'default/a', { status: { phase: 'Succeeded' } });
  assert.equal(await noted(env), bound);
  await env.create(PODS, makePod('b', { nodeName: 'n1', terminationGracePeriodSeconds: 30 }));
  await env.clock.advance(1 * SECOND);
  await env.delete(PODS, 'default/b');
  assert.equal(await noted(env), timestamp(env.clock.now()));
  await env.clock.advance(1 * MINUTE);
  await env.create(PODS, makePod('c', { nodeName: 'n1' }));
  await env.clock.advance(10 * SECOND);
  await env.change(PODS, 'default/c', { status: { phase: 'Failed' } });
  assert.equal(await noted(env), timestamp(env.clock.now()));
});

test('03/109 04/86 daemon pods, changes that move nothing and strange Nodes are not noted', async (t) => {
  const env = await start(t);
  const daemon = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'ds', uid: 'u' };
  await env.create(PODS, makePod('daemon', { nodeName: 'n1', ownerReferences: [daemon] }));
  await env.create(PODS, makePod('elsewhere', { nodeName: 'n2' }));
  assert.equal(await noted(env), undefined);
  await env.create(PODS, makePod('a', { nodeName: 'n1' }));
  const first = await noted(env);
  await env.clock.advance(1 * MINUTE);
  await env.change(PODS, 'default/a', { metadata: { labels: { x: 'y' } } });
  await env.change(PODS, 'default/a', { status: { phase: 'Running' } });
  assert.equal(await noted(env), first);
});

test('03/109 a NodeClaim of another provider, or one of two, is not noted', async (t) => {
  const env = await start(t);
  await env.create(
    NODE_CLAIMS,
    makeNodeClaim('foreign', { nodeClassRef: FOREIGN_CLASS_REF, status: { providerID: 'p2' } }),
  );
  await env.create(NODES, makeNode('n2', { providerID: 'p2' }));
  await env.create(PODS, makePod('a', { nodeName: 'n2' }));
  await env.create(NODE_CLAIMS, makeNodeClaim('twin', { status: { providerID: 'p1' } }));
  await env.create(PODS, makePod('b', { nodeName: 'n1' }));
  for (const name of ['foreign', 'twin', 'c1']) {
    assert.equal((await env.get<NodeClaim>(NODE_CLAIMS, name)).status?.lastPodEventTime, undefined, name);
  }
});

test('a restart moves nothing, and what happened while away counts from when it happened', async (t) => {
  const env = await start(t, { runs: false });
  const lastTransitionTime = timestamp(env.clock.now());
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime };
  await env.create(PODS, makePod('old', { nodeName: 'n1', status: { conditions: [scheduled] } }));
  await env.clock.advance(10 * MINUTE);
  await env.run(podEventsController(env));
  assert.equal(await noted(env), lastTransitionTime);
  const { resourceVersion } = (await env.get(NODE_CLAIMS, 'c1')).metadata;
  await env.run({ ...podEventsController(env), name: 'again' });
  assert.equal((await env.get(NODE_CLAIMS, 'c1')).metadata.resourceVersion, resourceVersion);
});

test('the end of many pods on many Nodes is noted on each of them with one write', async (t) => {
  const env = await start(t);
  const nodes = Array.from({ length: 20 }, (_, i) => `m${i}`);
  for (const name of nodes) {
    await env.create(NODE_CLAIMS, makeNodeClaim(name, { status: { providerID: name } }));
    await env.create(NODES, makeNode(name, { providerID: name }));
    for (let i = 0; i < 5; i++) await env.create(PODS, makePod(`${name}-${i}`, { nodeName: name }));
  }
  await env.clock.advance(1 * MINUTE);
  env.writes.length = 0;
  const phase = { status: { phase: 'Succeeded' } };
  await Promise.all(
    nodes.flatMap((name) =>
      Array.from({ length: 5 }, (_, i) =>
        env.client.patch(
          PODS,
          { namespace: 'default', name: `${name}-${i}` },
          { type: 'merge', body: phase },
          { subresource: 'status' },
        ),
      ),
    ),
  );
  await env.clock.flush();
  assert.equal(env.writes.filter((write) => write.includes('/nodeclaims/')).length, 20);
  for (const name of nodes) {
    assert.equal((await env.get<NodeClaim>(NODE_CLAIMS, name)).status?.lastPodEventTime, timestamp(env.clock.now()));
  }
});

test('09/40 pods that the NodePool tells to ignore are not noted, and all others are', async (t) => {
  const env = await start(t);
  const ignore = (text: string) =>
    env.change(NODE_POOLS, 'default', {
      metadata: { annotations: { 'karpenter-ts.dev/consolidate-after-ignore': text } },
    });
  await env.create(NODE_POOLS, makeNodePool('default'));
  await env.change(NODES, 'n1', { metadata: { labels: { [NODEPOOL_LABEL]: 'default' } } });
  const job = { apiVersion: 'batch/v1', kind: 'Job', name: 'nightly', uid: 'u' };
  const run = async (name: string, parts: Parameters<typeof makePod>[1] = {}) => {
    await env.clock.advance(5 * MINUTE);
    await env.create(PODS, makePod(name, { nodeName: 'n1', ...parts }));
    await env.change(PODS, `default/${name}`, { status: { phase: 'Succeeded' } });
  };
  await ignore('jobs');
  await run('a', { ownerReferences: [job] });
  assert.equal(await noted(env), undefined);
  await run('b');
  const last = await noted(env);
  assert.equal(last, timestamp(env.clock.now()));
  for (const name of ['c', 'd', 'e']) await run(name, { ownerReferences: [job] });
  assert.equal(await noted(env), last); // so the node is quiet for 15 minutes by now
  await ignore('selector:tier in (batch)');
  await run('f', { labels: { tier: 'batch' } });
  assert.equal(await noted(env), last);
  await run('g', { ownerReferences: [job] });
  assert.notEqual(await noted(env), last);
});
