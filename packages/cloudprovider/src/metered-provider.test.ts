import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { makePool } from '@karpenter-ts/scheduling/testing';
import { CreateError, InsufficientCapacityError, NodeClaimNotFoundError, NodeClassNotReadyError } from './errors.ts';
import { meteredProvider } from './metered-provider.ts';
import { FakeCloudProvider } from './testing/fake-cloud-provider.ts';
import { refuse, slowDown } from './testing/fault.ts';
import { makeNodeClaim } from './testing/node-claims.ts';

function start() {
  const clock = new VirtualClock();
  const metrics = new Metrics(clock);
  const fake = new FakeCloudProvider({ clock });
  const page = async (): Promise<readonly string[]> => {
    let text = '';
    for await (const part of metrics.render('text')) text += part;
    return text.split('\n');
  };
  return { clock, fake, page, provider: meteredProvider(fake, { metrics, clock, controller: 'nodeclaim.lifecycle' }) };
}

test('every call is timed under its method, provider and controller', async () => {
  const { provider, page } = start();
  const claim = await provider.create(makeNodeClaim('a'), NEVER);
  await provider.get(claim.status!.providerID!, NEVER);
  await provider.list(NEVER);
  await provider.instanceTypes(makePool('default'), NEVER);
  await provider.findDrift(claim, NEVER);
  await provider.delete(claim, NEVER);
  const counts = (await page()).filter((line) => line.startsWith('karpenter_cloudprovider_duration_seconds_count'));
  assert.deepEqual(
    counts.sort(),
    ['Create', 'Delete', 'Get', 'GetInstanceTypes', 'IsDrifted', 'List'].map(
      (method) =>
        `karpenter_cloudprovider_duration_seconds_count{controller="nodeclaim.lifecycle",method="${method}",provider="fake"} 1`,
    ),
  );
});

test('05/54 a call that fails is timed too, in seconds, and its error counted by kind through any wrapping', async () => {
  const { clock, fake, provider, page } = start();
  const cause = new Error('no');
  fake.script(
    'create',
    refuse(new Error('launching', { cause: new InsufficientCapacityError(cause) })),
    refuse(new NodeClassNotReadyError(cause)),
    refuse(new CreateError(cause, 'Reason', 'message')),
    refuse(new NodeClaimNotFoundError(cause)),
  );
  for (const name of ['a', 'b', 'c', 'd']) await assert.rejects(provider.create(makeNodeClaim(name), NEVER));
  fake.script('create', slowDown(3 * SECOND));
  await clock.runUntil(provider.create(makeNodeClaim('e'), NEVER));
  const lines = await page();
  const errors = lines.filter((line) => line.startsWith('karpenter_cloudprovider_errors_total'));
  assert.deepEqual(
    errors.sort(),
    ['', 'InsufficientCapacityError', 'NodeClaimNotFoundError', 'NodeClassNotReadyError'].map(
      (error) =>
        `karpenter_cloudprovider_errors_total{controller="nodeclaim.lifecycle",error="${error}",method="Create",provider="fake"} 1`,
    ),
  );
  assert.ok(
    lines.includes(
      'karpenter_cloudprovider_duration_seconds_sum{controller="nodeclaim.lifecycle",method="Create",provider="fake"} 3',
    ),
  );
});
