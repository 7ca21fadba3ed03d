import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_CLAIMS, TERMINATION_FINALIZER } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { launchedNodeClaim } from '../testing/cluster-objects.ts';
import { StatusError } from '@karpenter-ts/runtime';
import { startTestEnvironment } from '../testing/test-environment.ts';
import { NodeClaimDeletions } from './deletions.ts';

const { signal } = new AbortController();

test('a deletion says whether it deleted, came second, or came too late, and is counted once', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const deletions = new NodeClaimDeletions(env);
  const claim = launchedNodeClaim('a');
  const metadata = { ...claim.metadata, finalizers: [TERMINATION_FINALIZER] };
  const nodeClaim = await env.create(NODE_CLAIMS, { ...claim, metadata });
  assert.equal(await deletions.request(nodeClaim, 'expired', signal), 'deleted');
  assert.equal(await deletions.request(nodeClaim, 'unhealthy', signal), 'already-deleting');
  const deleting = env.caches.nodeClaims.get('a')!;
  assert.equal(await new NodeClaimDeletions(env).request(deleting, 'unhealthy', signal), 'already-deleting');
  await env.change(NODE_CLAIMS, 'a', { metadata: { finalizers: null } });
  assert.equal(await new NodeClaimDeletions(env).request(nodeClaim, 'unhealthy', signal), 'gone');
  const counted = (await env.page())
    .split('\n')
    .filter((line) => line.startsWith('karpenter_nodeclaims_disrupted_total'));
  assert.equal(counted.length, 1);
  assert.match(counted[0]!, /reason="expired".* 1$/);
});

/** A client whose deletions are answered by `answer`, which is given the number of the deletion. */
function answering(answer: (deletion: number) => Promise<void>) {
  let asked = 0;
  return {
    asked: () => asked,
    client: { delete: async () => await answer(++asked) },
  };
}

test('who asks while another deletion is under way learns how that ends, and tries itself if it fails', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const first = Promise.withResolvers<void>();
  const { client, asked } = answering((deletion) => (deletion === 1 ? first.promise : Promise.resolve()));
  const deletions = new NodeClaimDeletions({ ...env, client: client as unknown as typeof env.client });
  const nodeClaim = { ...launchedNodeClaim('a'), metadata: { ...launchedNodeClaim('a').metadata, uid: 'u' } };
  const failed = assert.rejects(deletions.request(nodeClaim, 'garbage_collected', signal), /out of order/);
  const others = Promise.all([1, 2].map(() => deletions.request(nodeClaim, 'expired', signal)));
  first.reject(new Error('out of order'));
  await failed;
  assert.deepEqual((await others).sort(), ['already-deleting', 'deleted']);
  assert.equal(asked(), 2);
});

test('a NodeClaim that another one of its name has replaced is gone', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const old = await env.create(NODE_CLAIMS, launchedNodeClaim('a'));
  await env.client.delete(NODE_CLAIMS, { name: 'a' });
  const replacement = await env.create(NODE_CLAIMS, launchedNodeClaim('a'));
  assert.notEqual(old.metadata.uid, replacement.metadata.uid);
  assert.equal(await new NodeClaimDeletions(env).request(old, 'expired', signal), 'gone');
  assert.equal((await env.client.get(NODE_CLAIMS, { name: 'a' })).metadata.deletionTimestamp, undefined);
});

test('a NodeClaim that is there is not taken for gone because its deletion met a conflict', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const nodeClaim = await env.create(NODE_CLAIMS, launchedNodeClaim('a'));
  const conflict = new StatusError({ code: 409, reason: 'Conflict', message: 'a webhook says so' });
  let refusals = 1;
  const client = {
    get: env.client.get.bind(env.client),
    delete: (...request: Parameters<typeof env.client.delete>) =>
      refusals-- > 0 ? Promise.reject(conflict) : env.client.delete(...request),
  } as typeof env.client;
  const deletions = new NodeClaimDeletions({ ...env, client });
  await assert.rejects(deletions.request(nodeClaim, 'expired', signal), conflict);
  assert.equal(await deletions.request(nodeClaim, 'expired', signal), 'deleted');
});
