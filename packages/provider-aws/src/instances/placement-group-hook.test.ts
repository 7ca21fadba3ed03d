import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AWS_LABELS, type NodeClaim } from '@karpenter-ts/apis';
import { NodeClaimNotFoundError } from '@karpenter-ts/cloudprovider';
import { makeNodeClaim } from '@karpenter-ts/cloudprovider/testing';
import { findCause } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { placementGroupHook } from './placement-group-hook.ts';
import { described, fakeInstances } from './testing/fake-instances.ts';

const GROUP = { [AWS_LABELS.placementGroupId]: 'pg-1' };
const UNKNOWN_PARTITION = { ...GROUP, [AWS_LABELS.placementGroupPartition]: '' };

const claim = (labels: Readonly<Record<string, string>>, instance: string | null = 'i-1'): NodeClaim => ({
  ...makeNodeClaim('claim', { labels }),
  status: instance === null ? {} : { providerID: `aws:///us-west-2a/${instance}` },
});

function environment(...partitions: readonly (number | undefined)[]) {
  const { fake, instances } = fakeInstances(
    partitions.map((partition, index) =>
      described(`i-${index + 1}`, partition === undefined ? {} : { Placement: { PartitionNumber: partition } }),
    ),
  );
  return { fake, hook: placementGroupHook(instances) };
}

test('07/108, 07/147, 08/42 the partition that EC2 chose becomes the label', async () => {
  const { hook, fake } = environment(1, 5);
  for (const [instance, partition] of [
    ['i-1', '1'],
    ['i-2', '5'],
  ] as const) {
    const result = await hook.prepare(claim(UNKNOWN_PARTITION, instance), NEVER);
    assert.equal(result.ready && result.nodeClaim.metadata.labels?.[AWS_LABELS.placementGroupPartition], partition);
  }
  assert.deepEqual(fake.calls, ['describe i-1', 'describe i-2']);
});

test('07/108, 07/147, 08/42 registration waits for an instance, and for EC2 to tell the partition', async () => {
  const { hook, fake } = environment(0, undefined);
  assert.deepEqual(await hook.prepare(claim(UNKNOWN_PARTITION, null), NEVER), { ready: false });
  assert.deepEqual(fake.calls, []);
  assert.deepEqual(await hook.prepare(claim(UNKNOWN_PARTITION), NEVER), { ready: false });
  assert.deepEqual(await hook.prepare(claim(UNKNOWN_PARTITION, 'i-2'), NEVER), { ready: false });
  await hook.prepare(claim(UNKNOWN_PARTITION), NEVER); // asks again each time
  assert.deepEqual(fake.calls, ['describe i-1', 'describe i-2', 'describe i-1']);
});

test('07/108 an instance that is gone fails the hook', async () => {
  const { hook } = environment();
  await assert.rejects(hook.prepare(claim(UNKNOWN_PARTITION), NEVER), (error: Error) => {
    assert.match(error.message, /^describing instance for partition number, nodeclaim not found, /);
    return findCause(error, NodeClaimNotFoundError) !== undefined;
  });
  const foreign = { ...claim(UNKNOWN_PARTITION), status: { providerID: 'kwok://node' } };
  await assert.rejects(hook.prepare(foreign, NEVER), /^Error: parsing instance ID from provider ID, /);
});

test('07/108, 08/42 outside of groups, in cluster and spread groups, and with a partition, registration goes on', async () => {
  const { hook, fake } = environment();
  for (const labels of [{}, GROUP, { ...GROUP, [AWS_LABELS.placementGroupPartition]: '2' }]) {
    const nodeClaim = claim(labels);
    assert.deepEqual(await hook.prepare(nodeClaim, NEVER), { ready: true, nodeClaim });
  }
  assert.deepEqual(fake.calls, []);
});
