import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError, SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { PODS } from '@karpenter-ts/kubernetes';
import { launchedNodeClaim, pendingPod, readyPool } from '../testing/cluster-objects.ts';
import { provisioningControllers } from './controllers.ts';
import { startProvisioningEnvironment } from './testing/provisioning-environment.ts';

test('the three controllers have upstream’s names and sizes', async (t) => {
  const { deps } = await startProvisioningEnvironment(t);
  const named = provisioningControllers(deps).map(({ name, concurrency }) => [name, concurrency ?? 1]);
  assert.deepEqual(named, [
    ['provisioner', 1],
    ['provisioner.trigger.pod', 10],
    ['provisioner.trigger.node', 10],
  ]);
});

test('02/1 pods that come together get their nodes together, when no more have come for a second', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('default')]);
  await env.run(...provisioningControllers(env.deps));
  await env.add([], [pendingPod('a', { requests: { cpu: '1' } })]);
  await env.clock.advance(0.9 * SECOND);
  await env.add([], [pendingPod('b', { requests: { cpu: '1' } })]);
  await env.clock.advance(0.9 * SECOND);
  assert.deepEqual(await env.nodeClaims(), []);
  await env.clock.advance(0.2 * SECOND);
  assert.deepEqual(
    (await env.nodeClaims()).map(({ spec }) => spec.resources?.requests),
    [{ cpu: '2', pods: '2' }],
  );
});

test('02/15 while a NodeClaim is unlaunched nothing is planned, and the batch waits until it is', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('default')]);
  await env.create(NODE_CLAIMS, launchedNodeClaim('slow', { providerId: '' }));
  await env.run(...provisioningControllers(env.deps));
  await env.add([], [pendingPod('a', { requests: { cpu: '6' } })]);
  await env.clock.advance(5 * SECOND);
  assert.equal((await env.nodeClaims()).length, 1);
  await env.launch();
  await env.clock.advance(1 * SECOND); // upstream waits until the pod calls again, at ten seconds
  assert.equal((await env.nodeClaims()).length, 2);
});

test('a NodeClaim that is deleted before its launch stops nothing, however long a finalizer holds it', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('default')]);
  const held = launchedNodeClaim('held', { providerId: '' });
  await env.create(NODE_CLAIMS, { ...held, metadata: { ...held.metadata, finalizers: ['example.com/hold'] } });
  await env.delete(NODE_CLAIMS, 'held');
  await env.run(...provisioningControllers(env.deps));
  await env.add([], [pendingPod('a')]);
  await env.clock.advance(5 * SECOND);
  assert.equal((await env.nodeClaims()).length, 2);
  await env.launch();
  await env.add([], [pendingPod('b', { requests: { cpu: '6' } })]);
  await env.clock.advance(5 * SECOND);
  assert.equal((await env.nodeClaims()).length, 3);
});

test('a pass that fails is reported, and the pods come back by themselves', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('default')], [pendingPod('a')]);
  env.refusals.add({ method: 'POST', path: /nodeclaims$/, code: 500 });
  await env.run(...provisioningControllers(env.deps));
  await env.clock.advance(5 * SECOND);
  assert.deepEqual(
    env.lines('Reconciler error').map(({ fields, error }) => [fields['controller'], error]),
    [['provisioner', 'creating node claim, refused']],
  );
  await env.clock.advance(10 * SECOND);
  assert.equal((await env.nodeClaims()).length, 1);
});

test('the batch also waits while the API server cannot tell which NodeClaims exist', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('default')]);
  await env.run(...provisioningControllers(env.deps));
  env.deps.launchState.unacknowledged.noteFailure(new ConnectionError('reset'));
  env.refusals.add({ method: 'GET', path: /nodeclaims$/, code: 500 });
  await env.add([], [pendingPod('a')]);
  await env.clock.advance(5 * SECOND); // the pod calls again at ten seconds
  assert.equal((await env.nodeClaims()).length, 1);
  assert.equal(env.lines('Reconciler error').length, 1);
});

test('02/13 pods wait for a pool, and get their nodes once there is one', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.run(...provisioningControllers(env.deps));
  await env.create(PODS, pendingPod('a'));
  await env.clock.advance(15 * SECOND);
  assert.equal(env.lines('no dynamic nodepools found').length, 2);
  await env.create(NODE_POOLS, readyPool('default'));
  await env.clock.advance(10 * SECOND);
  assert.equal((await env.nodeClaims()).length, 1);
});
