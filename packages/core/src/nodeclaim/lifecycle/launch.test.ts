import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NodeClaim, TERMINATION_FINALIZER, ZONE_LABEL } from '@karpenter-ts/apis';
import { CreateError, InsufficientCapacityError, NodeClassNotReadyError } from '@karpenter-ts/cloudprovider';
import { garble, refuse, slowDown } from '@karpenter-ts/cloudprovider/testing';
import { MINUTE, SECOND, StatusError } from '@karpenter-ts/runtime';
import { FOREIGN_CLASS_REF } from '../../testing/objects.ts';
import { startNodeClaimEnvironment } from '../testing/nodeclaim-environment.ts';

test('03/1 a new NodeClaim gets its finalizer before its instance, then says what it got', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  await env.pass();
  const call = env.provider.calls.find(({ method }) => method === 'create');
  assert.ok(call?.method === 'create');
  assert.deepEqual(call.nodeClaim.metadata.finalizers, [TERMINATION_FINALIZER]);
  const { status } = await env.nodeClaim();
  assert.equal(status?.providerID, 'fake:///instance-1');
  assert.ok(status?.capacity?.['cpu'] && status.allocatable?.['cpu']);
  const launched = await env.condition('Launched');
  assert.deepEqual([launched?.status, launched?.reason, launched?.message], ['True', 'Launched', '']);
});

test('03/2 a NodeClaim of an unsupported NodeClass is not touched', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const before = await env.addNodeClaim({ nodeClassRef: FOREIGN_CLASS_REF });
  await env.pass();
  assert.deepEqual(await env.nodeClaim(), before);
  assert.equal(env.provider.calls.length, 0);
});

test('03/3 without capacity the NodeClaim is deleted, told and counted, and nothing fails', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const refusal = new InsufficientCapacityError(new Error('all sold out'));
  env.provider.script('create', refuse(new Error('creating instance', { cause: refusal })));
  await env.addNodeClaim();
  await env.pass();
  assert.notEqual((await env.nodeClaim()).metadata.deletionTimestamp, undefined);
  const [event] = env.published;
  assert.deepEqual(
    [event?.type, event?.reason, event?.message, event?.involvedObject.kind],
    [
      'Warning',
      'InsufficientCapacityError',
      'NodeClaim c1 event: creating instance, insufficient capacity, all sold out',
      'NodeClaim',
    ],
  );
  assert.equal(env.disrupted('insufficient_capacity'), 1);
  assert.ok(env.lines('error').includes('failed launching nodeclaim'));
  assert.equal((await env.condition('Launched'))?.reason, 'AwaitingReconciliation');
  assert.equal(env.nodePoolHealth.healthOf(env.pool), 'Unknown');
});

test('05/70 the event of a failed launch is cut at 300 bytes', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  env.provider.script('create', refuse(new InsufficientCapacityError(new Error('x'.repeat(1000)))));
  await env.addNodeClaim();
  await env.pass();
  const cut = `insufficient capacity, ${'x'.repeat(1000)}`.slice(0, 300);
  assert.equal(env.published[0]?.message, `NodeClaim c1 event: ${cut}...`);
});

test('03/4 a NodeClass that is not ready ends the NodeClaim without an event', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  env.provider.script('create', refuse(new NodeClassNotReadyError(new Error('no AMIs'))));
  await env.addNodeClaim();
  await env.pass();
  assert.notEqual((await env.nodeClaim()).metadata.deletionTimestamp, undefined);
  assert.equal(env.disrupted('nodeclass_not_ready'), 1);
  assert.deepEqual(env.published, []);
});

test('03/5 a provider may say in the condition why it could not create', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  env.provider.script('create', refuse(new CreateError(new Error('boom'), 'QuotaExceeded', 'ask for more')));
  await env.addNodeClaim();
  await assert.rejects(env.pass(), /launching nodeclaim/);
  const launched = await env.condition('Launched');
  assert.deepEqual(
    [launched?.status, launched?.reason, launched?.message],
    ['Unknown', 'QuotaExceeded', 'ask for more'],
  );
});

test('03/6 any other failure is shown in the condition, cut at 300 bytes', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  env.provider.script('create', refuse(new Error('x'.repeat(1000))));
  await env.addNodeClaim();
  await assert.rejects(env.pass());
  const launched = await env.condition('Launched');
  assert.deepEqual([launched?.reason, launched?.message], ['LaunchFailed', `${'x'.repeat(300)}...`]);
});

test('03/7 a status that could not be written does not buy a second instance', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  env.refusals.add({ method: 'PATCH', path: /nodeclaims\/c1\/status$/, code: 500 });
  await assert.rejects(env.pass(), StatusError);
  assert.equal((await env.nodeClaim()).status?.providerID, undefined);
  await env.clock.advance(59 * MINUTE);
  await env.pass();
  assert.equal(env.provider.callsOf('create').length, 1);
  assert.equal((await env.nodeClaim()).status?.providerID, 'fake:///instance-1');
});

test('03/8 labels of the NodeClaim win over the provider’s, annotations lose', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const instance = {
    metadata: { name: 'c1', labels: { [ZONE_LABEL]: 'a', rack: '7' }, annotations: { image: 'new' } },
    status: { providerID: 'fake:///x', capacity: { cpu: '1' }, allocatable: { cpu: '1' } },
  } as unknown as NodeClaim;
  env.provider.script('create', garble(instance));
  await env.addNodeClaim({ labels: { [ZONE_LABEL]: 'b' }, annotations: { image: 'old', team: 'web' } });
  await env.pass();
  const { labels = {}, annotations } = (await env.nodeClaim()).metadata;
  assert.deepEqual([labels[ZONE_LABEL], labels['rack']], ['b', '7']);
  assert.deepEqual(annotations, { image: 'new', team: 'web' });
});

test('03/9 a conflict about the finalizer is retried, and nothing is launched meanwhile', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.run(env.lifecycle);
  env.refusals.add({ method: 'PATCH', path: /nodeclaims\/c1$/, code: 409 });
  await env.addNodeClaim();
  assert.equal(env.provider.callsOf('create').length, 0);
  assert.ok(!env.lines('error').includes('Reconciler error'));
  await env.clock.advance(1 * SECOND);
  assert.equal(env.provider.callsOf('create').length, 1);
});

test('03/133 a launch is logged once, also when it is remembered', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  env.refusals.add({ method: 'PATCH', path: /nodeclaims\/c1\/status$/, code: 500 });
  await assert.rejects(env.pass());
  await env.pass();
  const lines = env.logger.lines.filter(({ message }) => message === 'launched nodeclaim');
  assert.equal(lines.length, 1);
  const { fields } = lines[0]!;
  assert.equal(fields['provider-id'], 'fake:///instance-1');
  for (const key of ['instance-type', 'zone', 'capacity-type', 'allocatable']) assert.ok(fields[key], key);
});

test('an instance without a provider id counts as a failed launch', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  env.provider.script('create', garble({ metadata: { name: 'c1' }, status: {} }));
  await env.addNodeClaim();
  await assert.rejects(env.pass(), /launching nodeclaim/);
  assert.equal((await env.condition('Launched'))?.message, 'the provider returned no provider id');
  await env.pass();
  assert.equal((await env.nodeClaim()).status?.providerID, 'fake:///instance-1');
});

test('conditions that others write while a NodeClaim is launched are kept', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  const { client } = env;
  const { create } = env.provider;
  env.provider.create = async (nodeClaim) => {
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const theirs = { type: 'ConsistentStateFound', status: 'True', reason: 'Test', message: '', lastTransitionTime };
    const body = { status: { conditions: [theirs] } };
    const type = { group: 'karpenter.sh', version: 'v1', plural: 'nodeclaims', kind: 'NodeClaim', namespaced: false };
    await client.patch(type, { name: 'c1' }, { type: 'merge', body }, { subresource: 'status' });
    return create.call(env.provider, nodeClaim);
  };
  await env.pass();
  assert.equal((await env.condition('ConsistentStateFound'))?.reason, 'Test');
  assert.equal((await env.condition('Launched'))?.status, 'True');
  assert.equal((await env.nodeClaim()).status?.providerID, 'fake:///instance-1');
});

test('an instance that is created while the process stops is recorded, or the next process would create another', async (t) => {
  for (const moment of ['before any write', 'between two writes'] as const) {
    const env = await startNodeClaimEnvironment(t);
    const { provider, writes } = env;
    await env.addNodeClaim();
    const stop = new AbortController();
    if (moment === 'before any write') {
      const create = provider.create.bind(provider);
      Object.assign(provider, { create: (nodeClaim: NodeClaim) => create(nodeClaim).finally(() => stop.abort()) });
    } else {
      const push = writes.push.bind(writes);
      const isLast = () => provider.calls.length > 0;
      Object.assign(writes, { push: (write: string) => (isLast() && queueMicrotask(() => stop.abort()), push(write)) });
    }
    const pass = env.lifecycle.reconcile('c1', stop.signal, env.logger);
    await env.clock.runUntil(pass).catch(() => undefined);
    assert.equal(stop.signal.aborted, true);
    assert.equal((await env.nodeClaim()).status?.providerID, 'fake:///instance-1', moment);
  }
});

test('a launch that the stop of the process has cut off is no failure, and nothing is written of it', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  env.provider.script('create', slowDown(10 * SECOND));
  await env.addNodeClaim();
  const stop = new AbortController();
  const pass = env.lifecycle.reconcile('c1', stop.signal, env.logger).catch(() => undefined);
  await env.clock.advance(1 * SECOND);
  stop.abort();
  await env.clock.runUntil(pass);
  assert.equal(await env.condition('Launched'), undefined);
});
