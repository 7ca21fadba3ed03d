import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { PODS } from '@karpenter-ts/kubernetes';
import { launchedClaim, pendingPod, readyPool } from '../testing/cluster-objects.ts';
import { provisioningControllers } from './controllers.ts';
import { startScene } from './testing/provisioning-scene.ts';

test('the three controllers have upstream’s names and sizes', async (t) => {
  const { deps } = await startScene(t);
  const named = provisioningControllers(deps).map(({ name, concurrency }) => [name, concurrency ?? 1]);
  assert.deepEqual(named, [
    ['provisioner', 1],
    ['provisioner.trigger.pod', 10],
    ['provisioner.trigger.node', 10],
  ]);
});

test('02/1 pods that come together get their nodes together, when no more have come for a second', async (t) => {
  const scene = await startScene(t);
  await scene.add([readyPool('default')]);
  await scene.rig.run(...provisioningControllers(scene.deps));
  await scene.add([], [pendingPod('a', { requests: { cpu: '1' } })]);
  await scene.rig.clock.advance(0.9 * SECOND);
  await scene.add([], [pendingPod('b', { requests: { cpu: '1' } })]);
  await scene.rig.clock.advance(0.9 * SECOND);
  assert.deepEqual(await scene.claims(), []);
  await scene.rig.clock.advance(0.2 * SECOND);
  assert.deepEqual(
    (await scene.claims()).map(({ spec }) => spec.resources?.requests),
    [{ cpu: '2', pods: '2' }],
  );
});

test('02/15 while a claim is unlaunched nothing is planned, and the batch waits until it is', async (t) => {
  const scene = await startScene(t);
  await scene.add([readyPool('default')]);
  await scene.rig.create(NODE_CLAIMS, launchedClaim('slow', { providerId: '' }));
  await scene.rig.run(...provisioningControllers(scene.deps));
  await scene.add([], [pendingPod('a', { requests: { cpu: '6' } })]);
  await scene.rig.clock.advance(5 * SECOND);
  assert.equal((await scene.claims()).length, 1);
  await scene.launch();
  await scene.rig.clock.advance(1 * SECOND); // upstream waits until the pod calls again, at ten seconds
  assert.equal((await scene.claims()).length, 2);
});

test('a claim that is deleted before its launch stops nothing, however long a finalizer holds it', async (t) => {
  const scene = await startScene(t);
  await scene.add([readyPool('default')]);
  const held = launchedClaim('held', { providerId: '' });
  await scene.rig.create(NODE_CLAIMS, { ...held, metadata: { ...held.metadata, finalizers: ['example.com/hold'] } });
  await scene.rig.delete(NODE_CLAIMS, 'held');
  await scene.rig.run(...provisioningControllers(scene.deps));
  await scene.add([], [pendingPod('a')]);
  await scene.rig.clock.advance(5 * SECOND);
  assert.equal((await scene.claims()).length, 2);
  await scene.launch();
  await scene.add([], [pendingPod('b', { requests: { cpu: '6' } })]);
  await scene.rig.clock.advance(5 * SECOND);
  assert.equal((await scene.claims()).length, 3);
});

test('a pass that fails is reported, and the pods come back by themselves', async (t) => {
  const scene = await startScene(t);
  await scene.add([readyPool('default')], [pendingPod('a')]);
  scene.rig.refusals.add({ method: 'POST', path: /nodeclaims$/, code: 500 });
  await scene.rig.run(...provisioningControllers(scene.deps));
  await scene.rig.clock.advance(5 * SECOND);
  assert.deepEqual(
    scene.lines('Reconciler error').map(({ fields, error }) => [fields['controller'], error]),
    [['provisioner', 'creating node claim, refused']],
  );
  await scene.rig.clock.advance(10 * SECOND);
  assert.equal((await scene.claims()).length, 1);
});

test('02/13 pods wait for a pool, and get their nodes once there is one', async (t) => {
  const scene = await startScene(t);
  await scene.rig.run(...provisioningControllers(scene.deps));
  await scene.rig.create(PODS, pendingPod('a'));
  await scene.rig.clock.advance(15 * SECOND);
  assert.equal(scene.lines('no dynamic nodepools found').length, 2);
  await scene.rig.create(NODE_POOLS, readyPool('default'));
  await scene.rig.clock.advance(10 * SECOND);
  assert.equal((await scene.claims()).length, 1);
});
