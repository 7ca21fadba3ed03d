import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DO_NOT_SYNC_TAINTS_LABEL,
  NODE_CLAIMS,
  type NodeClaim,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
  TERMINATION_FINALIZER,
  UNREGISTERED_TAINT,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { RegistrationHook } from '@karpenter-ts/cloudprovider';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODES } from '@karpenter-ts/kubernetes';
import type { InformerCaches } from '../../state/caches.ts';
import type { ControllerDeps } from '../../state/controller-deps.ts';
import { makeNode, makeNodeClaim } from '../../testing/objects.ts';
import { startNodeClaimEnvironment } from '../testing/nodeclaim-environment.ts';
import { lifecycleController } from './controller.ts';
import { markRegistered, syncNode } from './node-sync.ts';
import { nodesCreated } from './registration.ts';

const TAINT = { key: 'team', value: 'web', effect: 'NoSchedule' } as const;
const STARTUP = { key: 'cni', effect: 'NoExecute' } as const;

test('03/10 a Node takes over what its NodeClaim says, and opens for pods', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered({ annotations: { note: 'x' }, labels: { tier: 'gold' }, taints: [TAINT] });
  const { metadata, spec } = await env.node();
  const { uid } = (await env.nodeClaim()).metadata;
  assert.deepEqual(metadata.ownerReferences, [
    { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'c1', uid, blockOwnerDeletion: true },
  ]);
  assert.deepEqual(metadata.finalizers, [TERMINATION_FINALIZER]);
  assert.equal(metadata.labels?.[REGISTERED_LABEL], 'true');
  assert.equal(metadata.labels['tier'], 'gold');
  assert.equal(metadata.labels[NODEPOOL_LABEL], 'default');
  assert.equal(metadata.annotations?.['note'], 'x');
  assert.deepEqual(spec?.taints, [TAINT]);
  const registered = await env.condition('Registered');
  assert.deepEqual([registered?.status, registered?.reason], ['True', 'Registered']);
  assert.equal((await env.nodeClaim()).status?.nodeName, 'node-of-c1');
  const zone = (await env.nodeClaim()).metadata.labels?.[ZONE_LABEL] ?? '';
  assert.equal(env.metrics.find(nodesCreated, { nodepool: 'default', zone }), 1);
  const line = env.logger.lines.find(({ message }) => message === 'registered nodeclaim');
  assert.equal(line?.fields['provider-id'], 'fake:///instance-1');
  assert.equal(String(line?.fields['Node']), 'node-of-c1');
});

test('03/11 a Node that has the owner already keeps exactly one', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const { metadata } = await env.addNodeClaim();
  await env.pass();
  const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'c1', uid: metadata.uid ?? '' };
  await env.addNode({ ownerReferences: [owner] });
  await env.pass();
  assert.deepEqual((await env.node()).metadata.ownerReferences, [owner]);
});

test('03/12 a NodeClaim without a Node waits', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  await env.pass();
  const registered = await env.condition('Registered');
  assert.deepEqual(
    [registered?.status, registered?.reason, registered?.message],
    ['Unknown', 'NodeNotFound', 'Node not registered with cluster'],
  );
});

test('03/13 two Nodes of one provider id are an error, and the NodeClaim is deleted after 15 minutes', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  await env.pass();
  await env.addNode({}, 'c1', 'a');
  await env.addNode({}, 'c1', 'b');
  await env.run(env.lifecycle);
  const registered = await env.condition('Registered');
  assert.deepEqual(
    [registered?.status, registered?.reason, registered?.message],
    ['False', 'MultipleNodesFound', 'Invariant violated, matched multiple nodes'],
  );
  assert.equal((await env.condition('Initialized'))?.status, 'Unknown');
  await env.clock.advance(14 * MINUTE);
  assert.equal((await env.nodeClaim()).metadata.deletionTimestamp, undefined);
  await env.clock.advance(1 * MINUTE + 1 * SECOND);
  assert.equal(env.disrupted('registration_timeout', 'spot') + env.disrupted('registration_timeout', 'on-demand'), 1);
});

test('two Nodes of one provider id are no error any more when one of them is deleted', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  await env.pass();
  await env.addNode({}, 'c1', 'a');
  await env.addNode({}, 'c1', 'b');
  await env.pass();
  await env.delete(NODES, 'b');
  await env.pass();
  assert.equal((await env.condition('Registered'))?.status, 'True');
  assert.equal((await env.nodeClaim()).status?.nodeName, 'a');
});

test('03/14 a Node that lacks the unregistered taint registers, and is told of once', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  await env.pass();
  await env.addNode({ taints: [] });
  env.refusals.add({ method: 'PATCH', path: /nodes\/node-of-c1$/, code: 409 });
  await assert.rejects(env.pass());
  await env.pass();
  assert.equal((await env.condition('Registered'))?.status, 'True');
  const events = env.published.filter(({ reason }) => reason === 'UnregisteredTaintMissing');
  assert.equal(events.length, 1);
  assert.equal(
    events[0]?.message,
    'Missing karpenter.sh/unregistered taint which prevents registration related race conditions on Karpenter-managed nodes',
  );
  const line = env.logger.lines.find(({ message }) => message === 'node claim registration error');
  assert.equal(line?.fields['taint'], 'karpenter.sh/unregistered');
  assert.equal(line.error, 'missing taint prevents registration-related race conditions on Karpenter-managed nodes');
});

test('03/15 a Node that sets its taints itself is given none, and still loses the unregistered one', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const node = { labels: { [DO_NOT_SYNC_TAINTS_LABEL]: 'true' } };
  await env.addRegistered({ taints: [TAINT], startupTaints: [STARTUP] }, node);
  assert.deepEqual((await env.node()).spec?.taints ?? [], []);
});

test('03/15 any other value of that label changes nothing', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const node = { labels: { [DO_NOT_SYNC_TAINTS_LABEL]: 'false' } };
  await env.addRegistered({ taints: [TAINT], startupTaints: [STARTUP] }, node);
  assert.deepEqual((await env.node()).spec?.taints, [TAINT, STARTUP]);
});

test('01/53 the taints of such a Node are not merged', () => {
  const labels = { [DO_NOT_SYNC_TAINTS_LABEL]: 'true' };
  const node = makeNode('n', { labels, taints: [UNREGISTERED_TAINT] });
  const synced = syncNode(node, makeNodeClaim('c', { taints: [TAINT], startupTaints: [STARTUP] }));
  assert.deepEqual(synced.spec?.taints, [UNREGISTERED_TAINT]);
  assert.equal(markRegistered(synced).spec?.taints, undefined);
});

test('03/16 a taint the Node has keeps its value', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const present = { ...TAINT, value: 'other' };
  await env.addRegistered({ taints: [TAINT] }, { taints: [UNREGISTERED_TAINT, present] });
  assert.deepEqual((await env.node()).spec?.taints, [present]);
});

test('03/17 startup taints that were removed after registration do not come back', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered({ startupTaints: [STARTUP] });
  await env.change(NODES, 'node-of-c1', { spec: { taints: null } });
  await env.pass();
  await env.pass();
  assert.deepEqual((await env.node()).spec?.taints ?? [], []);
});

test('03/18 labels edited after registration stay on the NodeClaim', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered({ labels: { tier: 'gold' } });
  await env.change(NODE_CLAIMS, 'c1', { metadata: { labels: { tier: 'tin' } } });
  await env.pass();
  assert.equal((await env.node()).metadata.labels?.['tier'], 'gold');
});

test('03/24 a conflict about the Node is retried, and nothing is counted meanwhile', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  await env.pass();
  await env.addNode();
  env.refusals.add({ method: 'PATCH', path: /nodes\/node-of-c1$/, code: 409 });
  await env.run(env.lifecycle);
  assert.equal((await env.condition('Registered'))?.status, 'Unknown');
  assert.ok(!env.lines().includes('registered nodeclaim'));
  assert.ok(!env.lines('error').includes('Reconciler error'));
  await env.clock.advance(1 * SECOND);
  assert.equal((await env.condition('Registered'))?.status, 'True');
  assert.equal(env.lines().filter((line) => line === 'registered nodeclaim').length, 1);
});

test('a taint that someone else sets in the same moment is not lost', async (t) => {
  const theirs = { key: 'theirs', effect: 'NoSchedule' };
  const hook: RegistrationHook = {
    name: 'meanwhile',
    prepare: async (nodeClaim) => {
      if (isFirst) await env.change(NODES, 'node-of-c1', { spec: { taints: [UNREGISTERED_TAINT, theirs] } });
      isFirst = false;
      return { ready: true, nodeClaim };
    },
  };
  let isFirst = true;
  const env = await startNodeClaimEnvironment(t, { registrationHooks: [hook] });
  await env.addNodeClaim();
  await env.pass();
  await env.addNode();
  await assert.rejects(env.pass(), /patching node/);
  await env.pass();
  assert.deepEqual((await env.node()).spec?.taints, [theirs]);
});

test('a pass on a cache that lags goes on from what the last one wrote', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  await env.pass();
  await env.addNode();
  const { nodeClaims } = env.caches;
  const stale = nodeClaims.get('c1');
  const lagging = { ...env.caches, nodeClaims: lag(nodeClaims, () => stale) };
  const core: ControllerDeps = env;
  const { deletions, nodePoolHealth } = env;
  const lifecycle = lifecycleController({ ...core, caches: lagging, deletions, nodePoolHealth });
  await env.reconcile(lifecycle, 'c1');
  env.writes.length = 0;
  await env.reconcile(lifecycle, 'c1');
  assert.deepEqual(env.writes, []);
  assert.equal(env.lines().filter((line) => line === 'registered nodeclaim').length, 1);
});

/** A cache that keeps showing one and the same state. */
function lag(cache: InformerCaches['nodeClaims'], get: () => NodeClaim | undefined): InformerCaches['nodeClaims'] {
  const shown: Pick<
    InformerCaches['nodeClaims'],
    'type' | 'get' | 'addHandler' | 'addHandlerInTurns' | 'start' | 'hasSynced'
  > = {
    type: cache.type,
    get,
    addHandler: () => () => undefined,
    addHandlerInTurns: async () => undefined,
    start: (signal) => cache.start(signal),
    hasSynced: true,
  };
  return shown as InformerCaches['nodeClaims'];
}

test('a Node that is ready when it joins is registered and initialized in one pass', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered();
  assert.equal((await env.condition('Initialized'))?.status, 'True');
  assert.equal((await env.condition('Ready'))?.status, 'True');
});
