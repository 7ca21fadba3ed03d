import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NodeClaim, TERMINATION_FINALIZER, TERMINATION_TIMESTAMP } from '@karpenter-ts/apis';
import { loseAnswer, refuse } from '@karpenter-ts/cloudprovider/testing';
import { DONE, MINUTE, SECOND, StatusError } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { NODES } from '@karpenter-ts/kubernetes';
import { type ClaimWorld, startClaimWorld } from '../testing/claim-world.ts';
import type { Node } from '../../kinds/node.ts';
import { makeNode } from '../../testing/objects.ts';

/** Takes our finalizer off a Node, as its termination does at the end. */
const release = (world: ClaimWorld, name: string): Promise<Node> =>
  world.rig.change(NODES, name, { metadata: { finalizers: null } });

test('03/47 the Node goes first, then the machine, then the claim', async (t) => {
  const world = await startClaimWorld(t, { outlivedDeletes: 1 });
  await world.addRegistered();
  await world.rig.delete(NODE_CLAIMS, 'c1');
  assert.equal(await world.pass(), DONE);
  assert.notEqual((await world.node()).metadata.deletionTimestamp, undefined);
  assert.equal(world.rig.provider.callsOf('delete').length, 0);
  assert.equal(await world.pass(), DONE);
  assert.equal(world.rig.writes.filter((write) => write.startsWith('DELETE /api/v1/nodes/')).length, 1);
  await release(world, 'node-of-c1');
  assert.deepEqual(await world.pass(), { requeueAfter: 5 * SECOND });
  assert.equal((await world.condition('InstanceTerminating'))?.status, 'True');
  assert.deepEqual(await world.pass(), { requeueAfter: 5 * SECOND });
  assert.deepEqual((await world.claim()).metadata.finalizers, [TERMINATION_FINALIZER]);
  await world.pass();
  assert.equal(await world.findClaim(), undefined);
  assert.equal(world.lines('info').filter((line) => line === 'deleted nodeclaim').length, 1);
});

test('03/47 the deletion of the Node wakes the claim', async (t) => {
  const world = await startClaimWorld(t);
  await world.addRegistered();
  await world.rig.run(world.lifecycle);
  await world.rig.delete(NODE_CLAIMS, 'c1');
  await world.rig.clock.advance(10 * MINUTE);
  assert.notEqual(await world.findClaim(), undefined);
  await release(world, 'node-of-c1');
  await world.rig.clock.advance(5 * SECOND);
  assert.equal(await world.findClaim(), undefined);
  assert.deepEqual(world.rig.provider.machines, []);
});

test('03/48 all Nodes of the machine are deleted and waited for', async (t) => {
  const world = await startClaimWorld(t);
  await world.addRegistered();
  await world.addNode({ finalizers: [TERMINATION_FINALIZER] }, 'c1', 'second');
  await world.addNode({ finalizers: [TERMINATION_FINALIZER] }, 'c1', 'third');
  await world.rig.delete(NODE_CLAIMS, 'c1');
  await world.pass();
  for (const name of ['node-of-c1', 'second', 'third']) {
    assert.notEqual((await world.node(name)).metadata.deletionTimestamp, undefined, name);
    await release(world, name);
    assert.equal(world.rig.provider.callsOf('delete').length, 0);
    if (name !== 'third') await world.pass();
  }
  await world.pass();
  assert.equal(world.rig.provider.callsOf('delete').length, 1);
});

test('03/49 the Node of an unregistered claim is left alone, its machine is not', async (t) => {
  const world = await startClaimWorld(t);
  await world.addClaim();
  await world.pass();
  await world.addNode();
  await world.rig.delete(NODE_CLAIMS, 'c1');
  await world.pass();
  assert.equal((await world.node()).metadata.deletionTimestamp, undefined);
  assert.deepEqual(world.rig.provider.machines, []);
});

test('a Node that is open for pods is drained, though nobody lived to note that its claim is registered', async (t) => {
  const world = await startClaimWorld(t);
  await world.addRegistered();
  const conditions = (await world.claim()).status?.conditions?.filter(({ type }) => type !== 'Registered');
  await world.rig.change(NODE_CLAIMS, 'c1', { status: { conditions } });
  await world.rig.delete(NODE_CLAIMS, 'c1');
  assert.equal(await world.pass(), DONE);
  assert.notEqual((await world.node()).metadata.deletionTimestamp, undefined);
  assert.equal(world.rig.provider.callsOf('delete').length, 0);
  await release(world, 'node-of-c1');
  await world.pass();
  assert.equal(world.rig.provider.callsOf('delete').length, 1);
});

test('03/50 a claim that was never launched goes at once, and no Node with it', async (t) => {
  const world = await startClaimWorld(t);
  await world.rig.create(NODES, makeNode('stranger'));
  await world.addClaim({ finalizers: [TERMINATION_FINALIZER] });
  await world.rig.delete(NODE_CLAIMS, 'c1');
  await world.pass();
  assert.equal(await world.findClaim(), undefined);
  assert.equal(world.rig.provider.callsOf('delete').length, 0);
  assert.equal((await world.node('stranger')).metadata.deletionTimestamp, undefined);
});

test('03/51 a deletion that fails is tried again', async (t) => {
  const world = await startClaimWorld(t);
  await world.addClaim();
  await world.pass();
  await world.rig.delete(NODE_CLAIMS, 'c1');
  world.rig.provider.script('delete', refuse(new Error('out of order')));
  await assert.rejects(world.pass(), /out of order/);
  assert.deepEqual((await world.claim()).metadata.finalizers, [TERMINATION_FINALIZER]);
  assert.equal(await world.condition('InstanceTerminating'), undefined);
  await world.pass();
  await world.pass();
  assert.equal(await world.findClaim(), undefined);
});

test('03/52 a machine that takes its time is asked for every 5 s', async (t) => {
  const world = await startClaimWorld(t, { outlivedDeletes: 1000 });
  await world.addClaim();
  await world.pass();
  await world.rig.run(world.lifecycle);
  await world.rig.delete(NODE_CLAIMS, 'c1');
  const asked = world.rig.provider.callsOf('delete').length;
  await world.rig.clock.advance(1 * MINUTE);
  assert.equal(world.rig.provider.callsOf('delete').length - asked, 12);
  assert.deepEqual((await world.claim()).metadata.finalizers, [TERMINATION_FINALIZER]);
});

test('03/53 the grace period becomes a time on the claim and an event', async (t) => {
  const world = await startClaimWorld(t, { outlivedDeletes: 1000 });
  await world.addClaim({ terminationGracePeriod: '300s' });
  await world.pass();
  await world.rig.delete(NODE_CLAIMS, 'c1');
  await world.pass();
  const { annotations, deletionTimestamp = '' } = (await world.claim()).metadata;
  const deadline = annotations?.[TERMINATION_TIMESTAMP] ?? '';
  assert.equal(Date.parse(deadline) - Date.parse(deletionTimestamp), 300 * SECOND);
  assert.match(deadline, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const [event] = world.rig.published;
  assert.deepEqual(
    [event?.type, event?.reason, event?.message],
    ['Warning', 'TerminationGracePeriodExpiring', `All pods will be deleted by ${deadline}`],
  );
  const line = world.rig.logger.lines.find(({ message }) => message === 'annotated nodeclaim');
  assert.equal(line?.fields[TERMINATION_TIMESTAMP], deadline);
});

test('03/53 without a grace period, or with a time on the claim already, none is written', async (t) => {
  const world = await startClaimWorld(t, { outlivedDeletes: 1000 });
  await world.addClaim();
  await world.addClaim({ terminationGracePeriod: '300s', annotations: { [TERMINATION_TIMESTAMP]: 'soon' } }, 'c2');
  for (const name of ['c1', 'c2']) {
    await world.pass(name);
    await world.rig.delete(NODE_CLAIMS, name);
    await world.pass(name);
  }
  assert.equal((await world.claim('c1')).metadata.annotations?.[TERMINATION_TIMESTAMP], undefined);
  assert.equal((await world.claim('c2')).metadata.annotations?.[TERMINATION_TIMESTAMP], 'soon');
  assert.deepEqual(world.rig.published, []);
});

test('03/54 a Ready claim stays Ready while its machine ends', async (t) => {
  const world = await startClaimWorld(t, { outlivedDeletes: 1000 });
  await world.addRegistered();
  await world.rig.delete(NODE_CLAIMS, 'c1');
  await world.pass();
  await release(world, 'node-of-c1');
  await world.pass();
  assert.equal((await world.condition('InstanceTerminating'))?.status, 'True');
  assert.equal((await world.condition('Ready'))?.status, 'True');
});

test('03/125 all conditions of a claim that ends follow its generation', async (t) => {
  const world = await startClaimWorld(t, { outlivedDeletes: 1000 });
  const before = await world.addRegistered();
  await world.rig.delete(NODE_CLAIMS, 'c1');
  await world.pass();
  await release(world, 'node-of-c1');
  await world.pass();
  const { metadata, status } = await world.claim();
  assert.ok((metadata.generation ?? 0) > (before.metadata.generation ?? 0));
  for (const { type, observedGeneration } of status?.conditions ?? []) {
    assert.equal(observedGeneration, metadata.generation, type);
  }
  assert.equal((await world.condition('Ready'))?.status, 'True');
});

test('03/55 amounts that are written in another form do not stand in the way', async (t) => {
  const world = await startClaimWorld(t);
  await world.addClaim({ resources: { requests: { memory: '50000', cpu: '0.1' } } });
  await world.pass();
  await world.rig.delete(NODE_CLAIMS, 'c1');
  await world.pass();
  await world.pass();
  assert.equal(await world.findClaim(), undefined);
});

test('a machine whose launch was never written down is ended, too', async (t) => {
  const world = await startClaimWorld(t);
  await world.addClaim();
  world.rig.refusals.add({ method: 'PATCH', path: /nodeclaims\/c1\/status$/, code: 500 });
  await assert.rejects(world.pass(), StatusError);
  assert.equal(world.rig.provider.machines.length, 1);
  await world.rig.delete(NODE_CLAIMS, 'c1');
  await world.pass();
  await world.pass();
  assert.deepEqual(world.rig.provider.machines, []);
  assert.equal(await world.findClaim(), undefined);
});

test('a machine whose creation answered too late is found at the next try, not bought again', async (t) => {
  const world = await startClaimWorld(t);
  world.rig.provider.script('create', loseAnswer());
  await world.addClaim();
  await assert.rejects(world.pass(), /launching nodeclaim/);
  await world.pass();
  assert.equal(world.rig.provider.machines.length, 1);
  assert.equal((await world.claim()).status?.providerID, 'fake:///machine-1');
});

test('how long claims and machines took to end is measured, and the end counted once', async (t) => {
  const world = await startClaimWorld(t, { outlivedDeletes: 1 });
  const { metadata } = await world.addRegistered();
  await world.rig.run(world.lifecycle);
  await world.rig.delete(NODE_CLAIMS, 'c1');
  await world.rig.clock.advance(20 * SECOND);
  await release(world, 'node-of-c1');
  await world.rig.clock.advance(1 * MINUTE);
  assert.equal(await world.findClaim(), undefined);
  const page = await world.rig.page();
  assert.match(page, /karpenter_nodeclaims_termination_duration_seconds_sum\{nodepool="default"\} 25\n/);
  assert.match(page, /karpenter_nodeclaims_instance_termination_duration_seconds_sum\{nodepool="default"\} 5\n/);
  const { 'karpenter.sh/capacity-type': type, 'topology.kubernetes.io/zone': zone } = metadata.labels ?? {};
  const labels = `capacity_type="${type}",nodepool="default",zone="${zone}"`;
  assert.ok(page.includes(`karpenter_nodeclaims_terminated_total{${labels}} 1\n`));
});

test('another finalizer keeps the claim, but not its machine', async (t) => {
  const world = await startClaimWorld(t);
  await world.addClaim({ finalizers: ['example.com/mine'] });
  await world.pass();
  await world.rig.delete(NODE_CLAIMS, 'c1');
  await world.pass();
  await world.pass();
  const left: NodeClaim = await world.claim();
  assert.deepEqual(left.metadata.finalizers, ['example.com/mine']);
  assert.equal(await world.pass(), DONE);
  assert.deepEqual(world.rig.provider.machines, []);
});
