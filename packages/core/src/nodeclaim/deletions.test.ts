import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_CLAIMS, TERMINATION_FINALIZER } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { launchedNodeClaim } from '../testing/cluster-objects.ts';
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
