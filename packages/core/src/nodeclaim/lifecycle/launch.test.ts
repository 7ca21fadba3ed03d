import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NodeClaim, TERMINATION_FINALIZER, ZONE_LABEL } from '@karpenter-ts/apis';
import { CreateError, InsufficientCapacityError, NodeClassNotReadyError } from '@karpenter-ts/cloudprovider';
import { garble, refuse, slowDown } from '@karpenter-ts/cloudprovider/testing';
import { MINUTE, SECOND, StatusError } from '@karpenter-ts/runtime';
import { FOREIGN_CLASS_REF } from '../../testing/objects.ts';
import { startClaimWorld } from '../testing/claim-world.ts';

test('03/1 a new claim gets its finalizer before its machine, then says what it got', async (t) => {
  const world = await startClaimWorld(t);
  await world.addClaim();
  await world.pass();
  const call = world.rig.provider.calls.find(({ method }) => method === 'create');
  assert.ok(call?.method === 'create');
  assert.deepEqual(call.nodeClaim.metadata.finalizers, [TERMINATION_FINALIZER]);
  const { status } = await world.claim();
  assert.equal(status?.providerID, 'fake:///machine-1');
  assert.ok(status?.capacity?.['cpu'] && status.allocatable?.['cpu']);
  const launched = await world.condition('Launched');
  assert.deepEqual([launched?.status, launched?.reason, launched?.message], ['True', 'Launched', '']);
});

test('03/2 a claim of an unsupported NodeClass is not touched', async (t) => {
  const world = await startClaimWorld(t);
  const before = await world.addClaim({ nodeClassRef: FOREIGN_CLASS_REF });
  await world.pass();
  assert.deepEqual(await world.claim(), before);
  assert.equal(world.rig.provider.calls.length, 0);
});

test('03/3 without capacity the claim is deleted, told and counted, and nothing fails', async (t) => {
  const world = await startClaimWorld(t);
  const refusal = new InsufficientCapacityError(new Error('all sold out'));
  world.rig.provider.script('create', refuse(new Error('creating instance', { cause: refusal })));
  await world.addClaim();
  await world.pass();
  assert.notEqual((await world.claim()).metadata.deletionTimestamp, undefined);
  const [event] = world.rig.published;
  assert.deepEqual(
    [event?.type, event?.reason, event?.message, event?.involvedObject.kind],
    [
      'Warning',
      'InsufficientCapacityError',
      'NodeClaim c1 event: creating instance, insufficient capacity, all sold out',
      'NodeClaim',
    ],
  );
  assert.equal(world.disrupted('insufficient_capacity'), 1);
  assert.ok(world.lines('error').includes('failed launching nodeclaim'));
  assert.equal((await world.condition('Launched'))?.reason, 'AwaitingReconciliation');
  assert.equal(world.health.healthOf(world.pool), 'Unknown');
});

test('05/70 the event of a failed launch is cut at 300 bytes', async (t) => {
  const world = await startClaimWorld(t);
  world.rig.provider.script('create', refuse(new InsufficientCapacityError(new Error('x'.repeat(1000)))));
  await world.addClaim();
  await world.pass();
  const cut = `insufficient capacity, ${'x'.repeat(1000)}`.slice(0, 300);
  assert.equal(world.rig.published[0]?.message, `NodeClaim c1 event: ${cut}...`);
});

test('03/4 a NodeClass that is not ready ends the claim without an event', async (t) => {
  const world = await startClaimWorld(t);
  world.rig.provider.script('create', refuse(new NodeClassNotReadyError(new Error('no AMIs'))));
  await world.addClaim();
  await world.pass();
  assert.notEqual((await world.claim()).metadata.deletionTimestamp, undefined);
  assert.equal(world.disrupted('nodeclass_not_ready'), 1);
  assert.deepEqual(world.rig.published, []);
});

test('03/5 a provider may say in the condition why it could not create', async (t) => {
  const world = await startClaimWorld(t);
  world.rig.provider.script('create', refuse(new CreateError(new Error('boom'), 'QuotaExceeded', 'ask for more')));
  await world.addClaim();
  await assert.rejects(world.pass(), /launching nodeclaim/);
  const launched = await world.condition('Launched');
  assert.deepEqual(
    [launched?.status, launched?.reason, launched?.message],
    ['Unknown', 'QuotaExceeded', 'ask for more'],
  );
});

test('03/6 any other failure stands in the condition, cut at 300 bytes', async (t) => {
  const world = await startClaimWorld(t);
  world.rig.provider.script('create', refuse(new Error('x'.repeat(1000))));
  await world.addClaim();
  await assert.rejects(world.pass());
  const launched = await world.condition('Launched');
  assert.deepEqual([launched?.reason, launched?.message], ['LaunchFailed', `${'x'.repeat(300)}...`]);
});

test('03/7 a status that could not be written does not buy a second machine', async (t) => {
  const world = await startClaimWorld(t);
  await world.addClaim();
  world.rig.refusals.add({ method: 'PATCH', path: /nodeclaims\/c1\/status$/, code: 500 });
  await assert.rejects(world.pass(), StatusError);
  assert.equal((await world.claim()).status?.providerID, undefined);
  await world.rig.clock.advance(59 * MINUTE);
  await world.pass();
  assert.equal(world.rig.provider.callsOf('create').length, 1);
  assert.equal((await world.claim()).status?.providerID, 'fake:///machine-1');
});

test('03/8 labels of the claim stand against the provider’s, annotations give way', async (t) => {
  const world = await startClaimWorld(t);
  const machine = {
    metadata: { name: 'c1', labels: { [ZONE_LABEL]: 'a', rack: '7' }, annotations: { image: 'new' } },
    status: { providerID: 'fake:///x', capacity: { cpu: '1' }, allocatable: { cpu: '1' } },
  } as unknown as NodeClaim;
  world.rig.provider.script('create', garble(machine));
  await world.addClaim({ labels: { [ZONE_LABEL]: 'b' }, annotations: { image: 'old', team: 'web' } });
  await world.pass();
  const { labels = {}, annotations } = (await world.claim()).metadata;
  assert.deepEqual([labels[ZONE_LABEL], labels['rack']], ['b', '7']);
  assert.deepEqual(annotations, { image: 'new', team: 'web' });
});

test('03/9 a conflict about the finalizer is retried, and nothing is launched meanwhile', async (t) => {
  const world = await startClaimWorld(t);
  await world.rig.run(world.lifecycle);
  world.rig.refusals.add({ method: 'PATCH', path: /nodeclaims\/c1$/, code: 409 });
  await world.addClaim();
  assert.equal(world.rig.provider.callsOf('create').length, 0);
  assert.ok(!world.lines('error').includes('Reconciler error'));
  await world.rig.clock.advance(1 * SECOND);
  assert.equal(world.rig.provider.callsOf('create').length, 1);
});

test('03/133 a launch is logged once, also when it is remembered', async (t) => {
  const world = await startClaimWorld(t);
  await world.addClaim();
  world.rig.refusals.add({ method: 'PATCH', path: /nodeclaims\/c1\/status$/, code: 500 });
  await assert.rejects(world.pass());
  await world.pass();
  const lines = world.rig.logger.lines.filter(({ message }) => message === 'launched nodeclaim');
  assert.equal(lines.length, 1);
  const { fields } = lines[0]!;
  assert.equal(fields['provider-id'], 'fake:///machine-1');
  for (const key of ['instance-type', 'zone', 'capacity-type', 'allocatable']) assert.ok(fields[key], key);
});

test('a machine without an id is no launch', async (t) => {
  const world = await startClaimWorld(t);
  world.rig.provider.script('create', garble({ metadata: { name: 'c1' }, status: {} }));
  await world.addClaim();
  await assert.rejects(world.pass(), /launching nodeclaim/);
  assert.equal((await world.condition('Launched'))?.message, 'the provider returned no provider id');
  await world.pass();
  assert.equal((await world.claim()).status?.providerID, 'fake:///machine-1');
});

test('conditions that others write while a claim is launched are kept', async (t) => {
  const world = await startClaimWorld(t);
  await world.addClaim();
  const { client } = world.rig;
  const { create } = world.rig.provider;
  world.rig.provider.create = async (nodeClaim) => {
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const theirs = { type: 'ConsistentStateFound', status: 'True', reason: 'Test', message: '', lastTransitionTime };
    const body = { status: { conditions: [theirs] } };
    const type = { group: 'karpenter.sh', version: 'v1', plural: 'nodeclaims', kind: 'NodeClaim', namespaced: false };
    await client.patch(type, { name: 'c1' }, { type: 'merge', body }, { subresource: 'status' });
    return create.call(world.rig.provider, nodeClaim);
  };
  await world.pass();
  assert.equal((await world.condition('ConsistentStateFound'))?.reason, 'Test');
  assert.equal((await world.condition('Launched'))?.status, 'True');
  assert.equal((await world.claim()).status?.providerID, 'fake:///machine-1');
});

test('a machine that is bought while the process stops is noted, or the next process would buy another', async (t) => {
  for (const moment of ['before any write', 'between two writes'] as const) {
    const world = await startClaimWorld(t);
    const { rig } = world;
    const { provider, writes } = rig;
    await world.addClaim();
    const stop = new AbortController();
    if (moment === 'before any write') {
      const create = provider.create.bind(provider);
      Object.assign(provider, { create: (claim: NodeClaim) => create(claim).finally(() => stop.abort()) });
    } else {
      const push = writes.push.bind(writes);
      const isLast = () => provider.calls.length > 0;
      Object.assign(writes, { push: (write: string) => (isLast() && queueMicrotask(() => stop.abort()), push(write)) });
    }
    const pass = world.lifecycle.reconcile('c1', stop.signal, rig.logger);
    await rig.clock.runUntil(pass).catch(() => undefined);
    assert.equal(stop.signal.aborted, true);
    assert.equal((await world.claim()).status?.providerID, 'fake:///machine-1', moment);
  }
});

test('a launch that the stop of the process has cut off is no failure, and nothing is written of it', async (t) => {
  const world = await startClaimWorld(t);
  const { rig } = world;
  rig.provider.script('create', slowDown(10 * SECOND));
  await world.addClaim();
  const stop = new AbortController();
  const pass = world.lifecycle.reconcile('c1', stop.signal, rig.logger).catch(() => undefined);
  await rig.clock.advance(1 * SECOND);
  stop.abort();
  await rig.clock.runUntil(pass);
  assert.equal(await world.condition('Launched'), undefined);
});
