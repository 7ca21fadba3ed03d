import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, EXPIRED_AT, NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { DONE, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { PODS, timestamp } from '@karpenter-ts/kubernetes';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { makeNodeClaim, makePod } from '../testing/objects.ts';
import { podsDisrupted } from './deletions.ts';
import { expirationController } from './expiration.ts';
import { expiryOf } from './expiry.ts';
import { type NodeClaimEnvironment, startNodeClaimEnvironment } from './testing/nodeclaim-environment.ts';

function expirationOf(env: NodeClaimEnvironment) {
  const core: ControllerDeps = env;
  return expirationController({ ...core, deletions: env.deletions });
}

const FINALIZERS = ['karpenter.sh/termination'];

test('03/86 04/145 an expired NodeClaim is deleted once, and counted once however often it is looked at', async (t) => {
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

test('03/86 04/145 a NodeClaim within its time is looked at when that is up; one without a time, never', async (t) => {
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

const expiredAt = async (env: NodeClaimEnvironment) => (await env.nodeClaim()).metadata.annotations?.[EXPIRED_AT];
const HOUR = 60 * MINUTE;

test('09/35 with the policy Graceful a NodeClaim is marked when it expires, and deleted at the deadline', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const expiration = expirationOf(env);
  await env.change(NODE_POOLS, 'default', {
    metadata: { annotations: { 'karpenter-ts.dev/expiration-policy': 'Graceful' } },
  });
  await env.addNodeClaim({ expireAfter: '1h', finalizers: FINALIZERS });
  assert.deepEqual(await env.reconcile(expiration, 'c1'), { requeueAfter: 1 * HOUR });
  assert.equal(await expiredAt(env), undefined);
  await env.clock.advance(1 * HOUR);
  await env.reconcile(expiration, 'c1');
  assert.equal(await expiredAt(env), timestamp(env.clock.now()));
  assert.deepEqual(await env.reconcile(expiration, 'c1'), { requeueAfter: 168 * HOUR });
  const expiredFor = (age: number) =>
    env.change(NODE_CLAIMS, 'c1', { metadata: { annotations: { [EXPIRED_AT]: timestamp(env.clock.now() - age) } } });
  await expiredFor(168 * HOUR - 1 * SECOND);
  assert.deepEqual(await env.reconcile(expiration, 'c1'), { requeueAfter: 1 * SECOND });
  assert.equal(env.disrupted('expired'), 0);
  await expiredFor(168 * HOUR);
  await env.reconcile(expiration, 'c1');
  assert.notEqual((await env.nodeClaim()).metadata.deletionTimestamp, undefined);
  assert.equal(env.disrupted('expired'), 1);
});

test('a deadline of 0s is none, and back to Forceful an expired NodeClaim is deleted at once', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.run(expirationOf(env));
  const annotate = (policy: string) =>
    env.change(NODE_POOLS, 'default', {
      metadata: {
        annotations: { 'karpenter-ts.dev/expiration-policy': policy, 'karpenter-ts.dev/expiration-deadline': '0s' },
      },
    });
  await annotate('Graceful');
  await env.addNodeClaim({ expireAfter: '1h', finalizers: FINALIZERS });
  await env.clock.advance(2 * HOUR);
  await env.change(NODE_CLAIMS, 'c1', { metadata: { annotations: { [EXPIRED_AT]: '2020-01-01T00:00:00Z' } } });
  await env.clock.flush();
  assert.notEqual(await expiredAt(env), undefined);
  assert.equal(env.disrupted('expired'), 0);
  await annotate('Forceful');
  await env.clock.flush();
  assert.equal(env.disrupted('expired'), 1);
});

test('the flag makes all pools graceful but those that say Forceful, and unreadable policies are Graceful', async (t) => {
  const env = await startNodeClaimEnvironment(t, { options: { expirationPolicy: 'Graceful' } });
  await env.run(expirationOf(env));
  await env.addNodeClaim({ expireAfter: '1h', finalizers: FINALIZERS });
  await env.clock.advance(2 * HOUR);
  assert.equal(env.disrupted('expired'), 0);
  const policy = (text: string) =>
    env.change(NODE_POOLS, 'default', { metadata: { annotations: { 'karpenter-ts.dev/expiration-policy': text } } });
  await policy('forceful');
  await env.clock.flush();
  assert.equal(env.disrupted('expired'), 0);
  await policy('Forceful');
  await env.clock.flush();
  assert.equal(env.disrupted('expired'), 1);
});

test('09/36 with a jitter expiries differ, are never late, and stay the same', () => {
  const created = '2026-01-01T00:00:00Z';
  const age = (uid: string, expirationJitter: number) => {
    const made = makeNodeClaim('c', { expireAfter: '100h' });
    const nodeClaim = { ...made, metadata: { ...made.metadata, uid, creationTimestamp: created } };
    return (expiryOf(nodeClaim, { expirationJitter }) ?? 0) - Date.parse(created);
  };
  const uids = Array.from({ length: 200 }, () => randomUUID());
  const ages = uids.map((uid) => age(uid, 0.2));
  assert.ok(ages.every((one) => one > 80 * HOUR && one <= 100 * HOUR));
  assert.ok(new Set(ages).size > 190);
  assert.ok(Math.max(...ages) - Math.min(...ages) > 15 * HOUR);
  assert.deepEqual(
    uids.map((uid) => age(uid, 0.2)),
    ages,
  );
  assert.ok(uids.every((uid) => age(uid, 0) === 100 * HOUR));
});

test('a NodeClaim that has not expired any more, because its pool asks for less jitter, loses its mark', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.run(expirationOf(env));
  await env.addNodeClaim({ expireAfter: '1h', annotations: { [EXPIRED_AT]: '2026-01-01T00:00:00Z' } });
  await env.clock.flush();
  assert.equal(await expiredAt(env), undefined);
});
