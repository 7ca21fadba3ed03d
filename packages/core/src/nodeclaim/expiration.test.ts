import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, NODE_CLAIMS } from '@karpenter-ts/apis';
import { DONE, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { PODS } from '@karpenter-ts/kubernetes';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { makePod } from '../testing/objects.ts';
import { podsDisrupted } from './deletions.ts';
import { expirationController } from './expiration.ts';
import { type NodeClaimEnvironment, startNodeClaimEnvironment } from './testing/nodeclaim-environment.ts';

function expirationOf(env: NodeClaimEnvironment) {
  const core: ControllerDeps = env;
  return expirationController({ ...core, deletions: env.deletions });
}

const FINALIZERS = ['karpenter.sh/termination'];

test('03/86 an expired NodeClaim is deleted once, and counted once however often it is looked at', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const expiration = expirationOf(env);
  await env.addNodeClaim({ expireAfter: '30s', finalizers: FINALIZERS });
  await env.clock.advance(60 * SECOND);
  // Both passes start from a cache that does not show the deletion yet.
  const { reconcile } = expiration;
  const signal = new AbortController().signal;
  await Promise.all([reconcile('c1', signal, env.logger), reconcile('c1', signal, env.logger)]);
  await env.clock.flush();
  assert.equal(await env.reconcile(expiration, 'c1'), DONE);
  assert.notEqual((await env.nodeClaim()).metadata.deletionTimestamp, undefined);
  assert.equal(env.disrupted('expired'), 1);
  assert.equal(env.lines('debug').filter((line) => line === 'deleting expired nodeclaim').length, 1);
});

test('03/86 a NodeClaim within its time is looked at when that is up; one without a time, never', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const expiration = expirationOf(env);
  await env.addNodeClaim({ expireAfter: '200s' });
  await env.addNodeClaim({ expireAfter: 'Never' }, 'c2');
  await env.clock.advance(60 * SECOND);
  assert.deepEqual(await env.reconcile(expiration, 'c1'), { requeueAfter: 140 * SECOND });
  assert.equal(await env.reconcile(expiration, 'c2'), DONE);
  assert.equal(env.disrupted('expired'), 0);
});

test('03/87 pods that must move are counted with the NodeClaim that expires', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered({ expireAfter: '30m', terminationGracePeriod: '1h' });
  const daemon = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'ds', uid: 'u' };
  await env.create(PODS, makePod('a', { nodeName: 'node-of-c1' }));
  await env.create(PODS, makePod('b', { nodeName: 'node-of-c1' }));
  await env.create(PODS, makePod('c', { nodeName: 'node-of-c1', ownerReferences: [daemon] }));
  await env.clock.advance(31 * MINUTE);
  await env.reconcile(expirationOf(env), 'c1');
  const { [CAPACITY_TYPE_LABEL]: capacity_type = '' } = (await env.nodeClaim()).metadata.labels ?? {};
  const labels = {
    reason: 'expired',
    nodepool: 'default',
    capacity_type,
    consolidation_policy: '',
    termination_mode: 'eventual',
  };
  assert.equal(env.metrics.find(podsDisrupted, labels), 2);
});

test('03/143 the age of the NodeClaim counts, not that of its Node, and its capacity type is counted', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim({ expireAfter: '30m', labels: { [CAPACITY_TYPE_LABEL]: 'spot' } });
  await env.pass();
  await env.clock.advance(14 * MINUTE);
  await env.addNode();
  await env.pass();
  await env.clock.advance(16 * MINUTE);
  await env.reconcile(expirationOf(env), 'c1');
  assert.equal(env.disrupted('expired', 'spot'), 1);
});

test('a thousand NodeClaims of one age expire within a second', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.run(expirationOf(env));
  const names = Array.from({ length: 1000 }, (_, i) => `c${i}`);
  await Promise.all(names.map((name) => env.addNodeClaim({ expireAfter: '30s' }, name)));
  await env.clock.advance(30 * SECOND);
  assert.deepEqual((await env.client.listAll(NODE_CLAIMS)).items, []);
  assert.equal(env.disrupted('expired'), 1000);
});
