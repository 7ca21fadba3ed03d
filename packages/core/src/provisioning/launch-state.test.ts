import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, ConnectionError } from '@karpenter-ts/runtime';
import { launchedNodeClaim } from '../testing/cluster-objects.ts';
import { startProvisioningEnvironment } from './testing/provisioning-environment.ts';

test('while a creation is unacknowledged nobody may plan, and its NodeClaim is then waited for by all', async (t) => {
  const env = await startProvisioningEnvironment(t);
  let isReachable = false;
  const listAll = async () => {
    if (!isReachable) throw new ConnectionError('reset');
    return { items: [launchedNodeClaim('stored', { providerId: '' })], resourceVersion: '9' };
  };
  const { launchState } = env.depsWith({ listAll } as unknown as Client);
  const { signal } = new AbortController();
  assert.equal(await launchState.isReady(signal), true);
  launchState.unacknowledged.noteFailure(new ConnectionError('reset'));
  await assert.rejects(launchState.isReady(signal), ConnectionError);
  isReachable = true;
  assert.equal(await launchState.isReady(signal), false);
  assert.equal(env.cluster.isUnlaunched('stored'), true);
});

test('a creation that fails while the NodeClaims are listed for another is looked for by the next list', async (t) => {
  const env = await startProvisioningEnvironment(t);
  let lists = 0;
  const listAll = async () => {
    lists++;
    if (lists === 1) launchState.unacknowledged.noteFailure(new ConnectionError('reset'));
    const items = lists === 1 ? [] : [launchedNodeClaim('late', { providerId: '' })];
    return { items, resourceVersion: '9' };
  };
  const { launchState } = env.depsWith({ listAll } as unknown as Client);
  const { signal } = new AbortController();
  launchState.unacknowledged.noteFailure(new ConnectionError('reset'));
  await launchState.isReady(signal);
  assert.equal(await launchState.isReady(signal), false);
  assert.equal(env.cluster.isUnlaunched('late'), true);
  await launchState.isReady(signal);
  assert.equal(lists, 2, 'both are known now');
});
