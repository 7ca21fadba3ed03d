import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuse } from '@karpenter-ts/cloudprovider/testing';
import { type Controller, MINUTE } from '@karpenter-ts/runtime';
import { NODES } from '@karpenter-ts/kubernetes';
import type { Core } from '../state/controller-deps.ts';
import { garbageCollectionController } from './garbage-collection.ts';
import { type ClaimWorld, startClaimWorld } from './testing/claim-world.ts';

function collector(world: ClaimWorld): Controller {
  const core: Core = world.rig;
  return garbageCollectionController({ ...core, deletions: world.deletions });
}

const isLeaving = async (world: ClaimWorld, name = 'c1'): Promise<boolean> =>
  (await world.findClaim(name))?.metadata.deletionTimestamp !== undefined;

test('03/88 a registered claim whose machine is gone is deleted, unless its kubelet still speaks', async (t) => {
  for (const [ready, deleted] of [
    ['False', true],
    ['Unknown', true],
    ['True', false],
  ] as const) {
    const world = await startClaimWorld(t);
    await world.addRegistered({}, { ready });
    world.rig.provider.removeMachine('fake:///machine-1');
    assert.deepEqual(await world.rig.reconcile(collector(world), ''), { requeueAfter: 2 * MINUTE });
    assert.equal(await isLeaving(world), deleted, ready);
  }
});

test('03/88 a claim whose Node is gone, too, is deleted; one that never registered is not', async (t) => {
  const world = await startClaimWorld(t);
  await world.addRegistered();
  await world.rig.change(NODES, 'node-of-c1', { metadata: { finalizers: null } });
  await world.rig.delete(NODES, 'node-of-c1');
  await world.addClaim({}, 'c2');
  await world.pass('c2');
  for (const { status } of world.rig.provider.machines) world.rig.provider.removeMachine(status!.providerID!);
  await world.rig.reconcile(collector(world), '');
  assert.deepEqual([await isLeaving(world, 'c1'), await isLeaving(world, 'c2')], [true, false]);
  const line = world.rig.logger.lines.find(({ message }) => message.startsWith('garbage collecting'));
  assert.equal(line?.message, 'garbage collecting nodeclaim with no cloudprovider representation');
  assert.deepEqual(
    [String(line.fields['NodeClaim']), String(line.fields['Node']), line.fields['provider-id']],
    ['c1', 'node-of-c1', 'fake:///machine-1'],
  );
});

test('03/88 a hundred lost machines are noticed in one run', async (t) => {
  const world = await startClaimWorld(t);
  const names = Array.from({ length: 100 }, (_, i) => `c${i}`);
  await world.rig.run(world.lifecycle);
  await Promise.all(names.map((name) => world.addClaim({}, name)));
  await Promise.all(names.map((name) => world.addNode({ ready: 'False' }, name)));
  await world.rig.clock.settle();
  for (const { status } of world.rig.provider.machines) world.rig.provider.removeMachine(status!.providerID!);
  await world.rig.reconcile(collector(world), '');
  const spot = world.disrupted('garbage_collected', 'spot') + world.disrupted('garbage_collected', 'on-demand');
  assert.equal(spot, 100);
});

test('03/89 when the cloud does not answer, nothing is deleted', async (t) => {
  const world = await startClaimWorld(t);
  await world.addRegistered({}, { ready: 'False' });
  world.rig.provider.removeMachine('fake:///machine-1');
  world.rig.provider.script('list', refuse(new Error('out of order')));
  await assert.rejects(world.rig.reconcile(collector(world), ''), /out of order/);
  assert.equal(await isLeaving(world), false);
});

test('03/144 a claim whose Node is gone is kept while its machine is listed', async (t) => {
  const world = await startClaimWorld(t);
  await world.addRegistered();
  await world.rig.change(NODES, 'node-of-c1', { metadata: { finalizers: null } });
  await world.rig.delete(NODES, 'node-of-c1');
  await world.rig.reconcile(collector(world), '');
  assert.equal(await isLeaving(world), false);
});

test('a machine that is on its way out does not keep its claim', async (t) => {
  const world = await startClaimWorld(t);
  const claim = await world.addRegistered({}, { ready: 'False' });
  const leaving = { ...claim, metadata: { ...claim.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  world.rig.provider.addMachine(leaving);
  await world.rig.reconcile(collector(world), '');
  assert.equal(await isLeaving(world), true);
});
