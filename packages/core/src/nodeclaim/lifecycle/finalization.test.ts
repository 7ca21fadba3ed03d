import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_CLAIMS, type NodeClaim, TERMINATION_FINALIZER, TERMINATION_TIMESTAMP } from '@karpenter-ts/apis';
import { loseAnswer, refuse } from '@karpenter-ts/cloudprovider/testing';
import { DONE, MINUTE, SECOND, StatusError } from '@karpenter-ts/runtime';
import { type Node, NODES } from '@karpenter-ts/kubernetes';
import { type NodeClaimEnvironment, startNodeClaimEnvironment } from '../testing/nodeclaim-environment.ts';
import { makeNode } from '../../testing/objects.ts';

/** Takes our finalizer off a Node, as its termination does at the end. */
const release = (env: NodeClaimEnvironment, name: string): Promise<Node> =>
  env.change(NODES, name, { metadata: { finalizers: null } });

test('03/47 the Node is deleted first, then the instance, then the NodeClaim', async (t) => {
  const env = await startNodeClaimEnvironment(t, { outlivedDeletes: 1 });
  await env.addRegistered();
  await env.delete(NODE_CLAIMS, 'c1');
  assert.equal(await env.pass(), DONE);
  assert.notEqual((await env.node()).metadata.deletionTimestamp, undefined);
  assert.equal(env.provider.callsOf('delete').length, 0);
  assert.equal(await env.pass(), DONE);
  assert.equal(env.writes.filter((write) => write.startsWith('DELETE /api/v1/nodes/')).length, 1);
  await release(env, 'node-of-c1');
  assert.deepEqual(await env.pass(), { requeueAfter: 5 * SECOND });
  assert.equal((await env.condition('InstanceTerminating'))?.status, 'True');
  assert.deepEqual(await env.pass(), { requeueAfter: 5 * SECOND });
  assert.deepEqual((await env.nodeClaim()).metadata.finalizers, [TERMINATION_FINALIZER]);
  await env.pass();
  assert.equal(await env.findNodeClaim(), undefined);
  assert.equal(env.lines('info').filter((line) => line === 'deleted nodeclaim').length, 1);
});

test('03/47 the deletion of the Node enqueues the NodeClaim', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered();
  await env.run(env.lifecycle);
  await env.delete(NODE_CLAIMS, 'c1');
  await env.clock.advance(10 * MINUTE);
  assert.notEqual(await env.findNodeClaim(), undefined);
  await release(env, 'node-of-c1');
  await env.clock.advance(5 * SECOND);
  assert.equal(await env.findNodeClaim(), undefined);
  assert.deepEqual(env.provider.instances, []);
});

test('03/48 all Nodes of the instance are deleted and waited for', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered();
  await env.addNode({ finalizers: [TERMINATION_FINALIZER] }, 'c1', 'second');
  await env.addNode({ finalizers: [TERMINATION_FINALIZER] }, 'c1', 'third');
  await env.delete(NODE_CLAIMS, 'c1');
  await env.pass();
  for (const name of ['node-of-c1', 'second', 'third']) {
    assert.notEqual((await env.node(name)).metadata.deletionTimestamp, undefined, name);
    await release(env, name);
    assert.equal(env.provider.callsOf('delete').length, 0);
    if (name !== 'third') await env.pass();
  }
  await env.pass();
  assert.equal(env.provider.callsOf('delete').length, 1);
});

test('03/49 the Node of an unregistered NodeClaim is left alone, its instance is not', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  await env.pass();
  await env.addNode();
  await env.delete(NODE_CLAIMS, 'c1');
  await env.pass();
  assert.equal((await env.node()).metadata.deletionTimestamp, undefined);
  assert.deepEqual(env.provider.instances, []);
});

test('a Node that is open for pods is drained, though the process died before it recorded that its NodeClaim is registered', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered();
  const conditions = (await env.nodeClaim()).status?.conditions?.filter(({ type }) => type !== 'Registered');
  await env.change(NODE_CLAIMS, 'c1', { status: { conditions } });
  await env.delete(NODE_CLAIMS, 'c1');
  assert.equal(await env.pass(), DONE);
  assert.notEqual((await env.node()).metadata.deletionTimestamp, undefined);
  assert.equal(env.provider.callsOf('delete').length, 0);
  await release(env, 'node-of-c1');
  await env.pass();
  assert.equal(env.provider.callsOf('delete').length, 1);
});

test('03/50 a NodeClaim that was never launched is deleted at once, and no Node with it', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.create(NODES, makeNode('stranger'));
  await env.addNodeClaim({ finalizers: [TERMINATION_FINALIZER] });
  await env.delete(NODE_CLAIMS, 'c1');
  await env.pass();
  assert.equal(await env.findNodeClaim(), undefined);
  assert.equal(env.provider.callsOf('delete').length, 0);
  assert.equal((await env.node('stranger')).metadata.deletionTimestamp, undefined);
});

test('03/51 a deletion that fails is tried again', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  await env.pass();
  await env.delete(NODE_CLAIMS, 'c1');
  env.provider.script('delete', refuse(new Error('out of order')));
  await assert.rejects(env.pass(), /out of order/);
  assert.deepEqual((await env.nodeClaim()).metadata.finalizers, [TERMINATION_FINALIZER]);
  assert.equal(await env.condition('InstanceTerminating'), undefined);
  await env.pass();
  await env.pass();
  assert.equal(await env.findNodeClaim(), undefined);
});

test('03/52 an instance that takes its time is asked for every 5 s', async (t) => {
  const env = await startNodeClaimEnvironment(t, { outlivedDeletes: 1000 });
  await env.addNodeClaim();
  await env.pass();
  await env.run(env.lifecycle);
  await env.delete(NODE_CLAIMS, 'c1');
  const asked = env.provider.callsOf('delete').length;
  await env.clock.advance(1 * MINUTE);
  assert.equal(env.provider.callsOf('delete').length - asked, 12);
  assert.deepEqual((await env.nodeClaim()).metadata.finalizers, [TERMINATION_FINALIZER]);
});

test('03/53 the grace period becomes a time on the NodeClaim and an event', async (t) => {
  const env = await startNodeClaimEnvironment(t, { outlivedDeletes: 1000 });
  await env.addNodeClaim({ terminationGracePeriod: '300s' });
  await env.pass();
  await env.delete(NODE_CLAIMS, 'c1');
  await env.pass();
  const { annotations, deletionTimestamp = '' } = (await env.nodeClaim()).metadata;
  const deadline = annotations?.[TERMINATION_TIMESTAMP] ?? '';
  assert.equal(Date.parse(deadline) - Date.parse(deletionTimestamp), 300 * SECOND);
  assert.match(deadline, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const [event] = env.published;
  assert.deepEqual(
    [event?.type, event?.reason, event?.message],
    ['Warning', 'TerminationGracePeriodExpiring', `All pods will be deleted by ${deadline}`],
  );
  const line = env.logger.lines.find(({ message }) => message === 'annotated nodeclaim');
  assert.equal(line?.fields[TERMINATION_TIMESTAMP], deadline);
});

test('03/53 without a grace period, or with a time on the NodeClaim already, none is written', async (t) => {
  const env = await startNodeClaimEnvironment(t, { outlivedDeletes: 1000 });
  await env.addNodeClaim();
  await env.addNodeClaim({ terminationGracePeriod: '300s', annotations: { [TERMINATION_TIMESTAMP]: 'soon' } }, 'c2');
  for (const name of ['c1', 'c2']) {
    await env.pass(name);
    await env.delete(NODE_CLAIMS, name);
    await env.pass(name);
  }
  assert.equal((await env.nodeClaim('c1')).metadata.annotations?.[TERMINATION_TIMESTAMP], undefined);
  assert.equal((await env.nodeClaim('c2')).metadata.annotations?.[TERMINATION_TIMESTAMP], 'soon');
  assert.deepEqual(env.published, []);
});

test('03/54 a Ready NodeClaim stays Ready while its instance terminates', async (t) => {
  const env = await startNodeClaimEnvironment(t, { outlivedDeletes: 1000 });
  await env.addRegistered();
  await env.delete(NODE_CLAIMS, 'c1');
  await env.pass();
  await release(env, 'node-of-c1');
  await env.pass();
  assert.equal((await env.condition('InstanceTerminating'))?.status, 'True');
  assert.equal((await env.condition('Ready'))?.status, 'True');
});

test('03/125 all conditions of a NodeClaim that ends follow its generation', async (t) => {
  const env = await startNodeClaimEnvironment(t, { outlivedDeletes: 1000 });
  const before = await env.addRegistered();
  await env.delete(NODE_CLAIMS, 'c1');
  await env.pass();
  await release(env, 'node-of-c1');
  await env.pass();
  const { metadata, status } = await env.nodeClaim();
  assert.ok((metadata.generation ?? 0) > (before.metadata.generation ?? 0));
  for (const { type, observedGeneration } of status?.conditions ?? []) {
    assert.equal(observedGeneration, metadata.generation, type);
  }
  assert.equal((await env.condition('Ready'))?.status, 'True');
});

test('03/55 quantities in another form are no obstacle', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim({ resources: { requests: { memory: '50000', cpu: '0.1' } } });
  await env.pass();
  await env.delete(NODE_CLAIMS, 'c1');
  await env.pass();
  await env.pass();
  assert.equal(await env.findNodeClaim(), undefined);
});

test('an instance whose launch was never recorded is deleted, too', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  env.refusals.add({ method: 'PATCH', path: /nodeclaims\/c1\/status$/, code: 500 });
  await assert.rejects(env.pass(), StatusError);
  assert.equal(env.provider.instances.length, 1);
  await env.delete(NODE_CLAIMS, 'c1');
  await env.pass();
  await env.pass();
  assert.deepEqual(env.provider.instances, []);
  assert.equal(await env.findNodeClaim(), undefined);
});

test('an instance whose creation answered too late is found at the next try, not bought again', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  env.provider.script('create', loseAnswer());
  await env.addNodeClaim();
  await assert.rejects(env.pass(), /launching nodeclaim/);
  await env.pass();
  assert.equal(env.provider.instances.length, 1);
  assert.equal((await env.nodeClaim()).status?.providerID, 'fake:///instance-1');
});

test('how long NodeClaims and instances took to end is measured, and the end counted once', async (t) => {
  const env = await startNodeClaimEnvironment(t, { outlivedDeletes: 1 });
  const { metadata } = await env.addRegistered();
  await env.run(env.lifecycle);
  await env.delete(NODE_CLAIMS, 'c1');
  await env.clock.advance(20 * SECOND);
  await release(env, 'node-of-c1');
  await env.clock.advance(1 * MINUTE);
  assert.equal(await env.findNodeClaim(), undefined);
  const page = await env.page();
  assert.match(page, /karpenter_nodeclaims_termination_duration_seconds_sum\{nodepool="default"\} 25\n/);
  assert.match(page, /karpenter_nodeclaims_instance_termination_duration_seconds_sum\{nodepool="default"\} 5\n/);
  const { 'karpenter.sh/capacity-type': type, 'topology.kubernetes.io/zone': zone } = metadata.labels ?? {};
  const labels = `capacity_type="${type}",nodepool="default",zone="${zone}"`;
  assert.ok(page.includes(`karpenter_nodeclaims_terminated_total{${labels}} 1\n`));
});

test('another finalizer keeps the NodeClaim, but not its instance', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim({ finalizers: ['example.com/mine'] });
  await env.pass();
  await env.delete(NODE_CLAIMS, 'c1');
  await env.pass();
  await env.pass();
  const left: NodeClaim = await env.nodeClaim();
  assert.deepEqual(left.metadata.finalizers, ['example.com/mine']);
  assert.equal(await env.pass(), DONE);
  assert.deepEqual(env.provider.instances, []);
});
