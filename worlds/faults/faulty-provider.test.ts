import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InsufficientCapacityError } from '@karpenter-ts/cloudprovider';
import { FakeCloudProvider, makeNodeClaim } from '@karpenter-ts/cloudprovider/testing';
import { VirtualClock } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { CloudFaultInjector, faultyProvider } from './faulty-provider.ts';

/** A cloud behind the faults, and which calls the checker was told of. */
function start() {
  const clock = new VirtualClock();
  const cloud = new FakeCloudProvider({ clock });
  const injector = new CloudFaultInjector();
  const end = new AbortController();
  const seen: string[] = [];
  const checker = {
    created: () => void seen.push('created'),
    deleting: async () => void seen.push('deleting'),
  };
  const die = (where: string): void => end.abort(new Error(`dead ${where}`));
  const provider = faultyProvider(cloud, { clock, injector, checker, dead: end.signal, tell: () => undefined, die });
  return { clock, cloud, injector, seen, provider, claim: makeNodeClaim('a') };
}

test('without a fault all is as the cloud has it', async () => {
  const { cloud, provider, seen, claim } = start();
  const launched = await provider.create(claim, NEVER);
  await provider.delete(launched, NEVER);
  assert.deepEqual(cloud.instances, []);
  assert.deepEqual(seen, ['created', 'deleting']);
  assert.equal(provider.name, 'fake');
});

test('a refusal costs nothing, a lost answer an instance, and garbage too', async () => {
  const { cloud, injector, provider, seen, claim } = start();
  injector.breakCalls('create', 'no-capacity', 1);
  await assert.rejects(provider.create(claim, NEVER), InsufficientCapacityError);
  assert.equal(cloud.instances.length, 0);
  injector.breakCalls('create', 'lose', 1);
  await assert.rejects(provider.create(claim, NEVER), /deadline exceeded/);
  assert.equal(cloud.instances.length, 1);
  assert.deepEqual(seen, []);
  injector.breakCalls('create', 'garbage', 1);
  assert.equal((await provider.create(claim, NEVER)).status, undefined);
  assert.equal(injector.injectedCount, 3);
});

test('a slow call is carried out in the end', async () => {
  const { clock, cloud, injector, provider, claim } = start();
  injector.breakCalls('create', 'delay', 1);
  await clock.runUntil(provider.create(claim, NEVER));
  assert.equal(cloud.instances.length, 1);
});

for (const [when, count] of [
  ['before', 0],
  ['after', 1],
] as const) {
  test(`who is killed ${when} a launch has ${count} instances, and gets no more`, async () => {
    const { cloud, injector, provider, claim } = start();
    injector.killAt('create', when, 0);
    await assert.rejects(provider.create(claim, NEVER), /dead/);
    await assert.rejects(provider.create(makeNodeClaim('b'), NEVER), /dead/);
    assert.equal(cloud.instances.length, count);
  });
}
