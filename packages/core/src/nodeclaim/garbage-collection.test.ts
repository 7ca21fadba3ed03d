import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuse } from '@karpenter-ts/cloudprovider/testing';
import { type Controller, MINUTE } from '@karpenter-ts/runtime';
import { NODES } from '@karpenter-ts/kubernetes';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { garbageCollectionController } from './garbage-collection.ts';
import { type NodeClaimEnvironment, startNodeClaimEnvironment } from './testing/nodeclaim-environment.ts';

function collector(env: NodeClaimEnvironment): Controller {
  const core: ControllerDeps = env;
  return garbageCollectionController({ ...core, deletions: env.deletions });
}

const isDeleting = async (env: NodeClaimEnvironment, name = 'c1'): Promise<boolean> =>
  (await env.findNodeClaim(name))?.metadata.deletionTimestamp !== undefined;

test('03/88 a registered NodeClaim whose instance is gone is deleted, unless its Node is still Ready', async (t) => {
  for (const [ready, deleted] of [
    ['False', true],
    ['Unknown', true],
    ['True', false],
  ] as const) {
    const env = await startNodeClaimEnvironment(t);
    await env.addRegistered({}, { ready });
    env.provider.removeInstance('fake:///instance-1');
    assert.deepEqual(await env.reconcile(collector(env), ''), { requeueAfter: 2 * MINUTE });
    assert.equal(await isDeleting(env), deleted, ready);
  }
});

test('03/88 a NodeClaim whose Node is gone, too, is deleted; one that never registered is not', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered();
  await env.change(NODES, 'node-of-c1', { metadata: { finalizers: null } });
  await env.delete(NODES, 'node-of-c1');
  await env.addNodeClaim({}, 'c2');
  await env.pass('c2');
  for (const { status } of env.provider.instances) env.provider.removeInstance(status!.providerID!);
  await env.reconcile(collector(env), '');
  assert.deepEqual([await isDeleting(env, 'c1'), await isDeleting(env, 'c2')], [true, false]);
  const line = env.logger.lines.find(({ message }) => message.startsWith('garbage collecting'));
  assert.equal(line?.message, 'garbage collecting nodeclaim with no cloudprovider representation');
  assert.deepEqual(
    [String(line.fields['NodeClaim']), String(line.fields['Node']), line.fields['provider-id']],
    ['c1', 'node-of-c1', 'fake:///instance-1'],
  );
});

test('03/88 a hundred lost instances are noticed in one run', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const names = Array.from({ length: 100 }, (_, i) => `c${i}`);
  await env.run(env.lifecycle);
  await Promise.all(names.map((name) => env.addNodeClaim({}, name)));
  await Promise.all(names.map((name) => env.addNode({ ready: 'False' }, name)));
  await env.clock.flush();
  for (const { status } of env.provider.instances) env.provider.removeInstance(status!.providerID!);
  await env.reconcile(collector(env), '');
  const spot = env.disrupted('garbage_collected', 'spot') + env.disrupted('garbage_collected', 'on-demand');
  assert.equal(spot, 100);
});

test('03/89 when the cloud does not answer, nothing is deleted', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered({}, { ready: 'False' });
  env.provider.removeInstance('fake:///instance-1');
  env.provider.script('list', refuse(new Error('out of order')));
  await assert.rejects(env.reconcile(collector(env), ''), /out of order/);
  assert.equal(await isDeleting(env), false);
});

test('03/144 a NodeClaim whose Node is gone is kept while its instance is listed', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered();
  await env.change(NODES, 'node-of-c1', { metadata: { finalizers: null } });
  await env.delete(NODES, 'node-of-c1');
  await env.reconcile(collector(env), '');
  assert.equal(await isDeleting(env), false);
});

test('an instance that is terminating does not keep its NodeClaim', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const nodeClaim = await env.addRegistered({}, { ready: 'False' });
  const deleted = { ...nodeClaim, metadata: { ...nodeClaim.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  env.provider.addInstance(deleted);
  await env.reconcile(collector(env), '');
  assert.equal(await isDeleting(env), true);
});
