import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { AWS_LABELS, CAPACITY_TYPE_LABEL, NODE_CLAIMS, type NodeClaim, REGISTERED_LABEL } from '@karpenter-ts/apis';
import { makeNodeClaim } from '@karpenter-ts/cloudprovider/testing';
import { type ApiObject, NODES } from '@karpenter-ts/kubernetes';
import { MINUTE } from '@karpenter-ts/runtime';
import { ProviderEnvironment } from '../testing/provider-environment.ts';
import { reservationCapacityTypeController } from './reservation-capacity-type.ts';

const ID = 'aws:///us-west-2a/i-1';
const RESERVED = {
  [CAPACITY_TYPE_LABEL]: 'reserved',
  [AWS_LABELS.capacityReservationId]: 'cr-1',
  [AWS_LABELS.capacityReservationType]: 'default',
  [AWS_LABELS.capacityReservationInterruptible]: 'false',
};

/** A cloud whose instance `i-1` is of this capacity type. */
async function environment(t: TestContext, capacityType = 'on-demand') {
  const env = await ProviderEnvironment.start(t);
  const instance: NodeClaim = {
    ...makeNodeClaim('i-1', { labels: { [CAPACITY_TYPE_LABEL]: capacityType } }),
    status: { providerID: ID },
  };
  const controller = reservationCapacityTypeController({ ...env, provider: { list: async () => [instance] } });
  return { env, reconcile: () => env.reconcile(controller, '') };
}

const kindOf = ({ metadata: { labels = {} } }: ApiObject) => [
  labels[CAPACITY_TYPE_LABEL],
  Object.keys(RESERVED).filter((key) => key in labels).length,
];

test('07/105, 08/36 when an instance has lost its reservation, NodeClaim and Node become on-demand, with no label of it', async (t) => {
  const { env, reconcile } = await environment(t);
  await env.addNodeClaim('claim-1', { labels: RESERVED, status: { providerID: ID } });
  await env.addNode('node-1', ID, { labels: RESERVED });
  assert.deepEqual(await reconcile(), { requeueAfter: 1 * MINUTE });
  assert.deepEqual(kindOf(await env.get(NODE_CLAIMS, 'claim-1')), ['on-demand', 1]);
  assert.deepEqual(kindOf(await env.get(NODES, 'node-1')), ['on-demand', 1]);
  const line = env.logger.lines.find(({ message }) => message === 'updated capacity type for nodeclaims');
  assert.deepEqual((line!.fields['NodeClaims'] as readonly unknown[]).map(String), ['claim-1']);
});

test('07/105, 08/36 a Node that comes later is changed, too, once it is registered', async (t) => {
  const { env, reconcile } = await environment(t);
  await env.addNodeClaim('claim-1', { labels: RESERVED, status: { providerID: ID } });
  await reconcile();
  await env.addNode('node-1', ID, { labels: { ...RESERVED, [REGISTERED_LABEL]: 'false' } });
  await reconcile();
  assert.deepEqual(kindOf(await env.get(NODES, 'node-1')), ['reserved', 4]);
  await env.change(NODES, 'node-1', { metadata: { labels: { [REGISTERED_LABEL]: 'true' } } });
  await reconcile();
  assert.deepEqual(kindOf(await env.get(NODES, 'node-1')), ['on-demand', 1]);
});

test('what is deleted, what still has its reservation, and what never had one are left alone', async (t) => {
  for (const capacityType of ['reserved', 'spot', 'on-demand']) {
    const { env, reconcile } = await environment(t, capacityType);
    const finalizers = ['test/keep'];
    await env.addNodeClaim('claim-1', { labels: RESERVED, finalizers, status: { providerID: ID } });
    await env.addNodeClaim('other', { labels: RESERVED, status: { providerID: 'aws:///us-west-2a/i-2' } });
    await env.addNode('node-1', ID, { labels: RESERVED, finalizers });
    if (capacityType === 'on-demand') await env.delete(NODE_CLAIMS, 'claim-1');
    const before = env.writes.length;
    await reconcile();
    assert.equal(env.writes.length, before, capacityType);
  }
});

test('an on-demand NodeClaim is never promoted', async (t) => {
  const { env, reconcile } = await environment(t, 'reserved');
  await env.addNodeClaim('claim-1', { status: { providerID: ID } });
  const before = env.writes.length;
  await reconcile();
  assert.equal(env.writes.length, before);
});

test('a Node that is being deleted is left alone', async (t) => {
  const { env, reconcile } = await environment(t);
  await env.addNodeClaim('claim-1', { labels: RESERVED, status: { providerID: ID } });
  await env.addNode('node-1', ID, { labels: RESERVED, finalizers: ['test/keep'] });
  await env.delete(NODES, 'node-1');
  await reconcile();
  assert.deepEqual(kindOf(await env.get(NODES, 'node-1')), ['reserved', 4]);
});

test('one object that cannot be changed does not keep the others; conflicts alone are tried again at once', async (t) => {
  for (const [code, outcome] of [
    [409, { requeueAfter: 0 }],
    [500, 'patching nodeclaim, '],
  ] as const) {
    const { env, reconcile } = await environment(t);
    for (const name of ['claim-1', 'claim-2']) {
      await env.addNodeClaim(name, { labels: RESERVED, status: { providerID: ID } });
    }
    env.refusals.add({ method: 'PATCH', path: /nodeclaims\/claim-1$/, code });
    if (typeof outcome === 'string') await assert.rejects(reconcile(), ({ message }) => message.startsWith(outcome));
    else assert.deepEqual(await reconcile(), outcome);
    assert.deepEqual(kindOf(await env.get(NODE_CLAIMS, 'claim-2')), ['on-demand', 1]);
  }
});
