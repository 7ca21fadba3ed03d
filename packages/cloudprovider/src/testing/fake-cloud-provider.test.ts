import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, OS_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { fakeType, makePool, reserved } from '@karpenter-ts/scheduling/testing';
import { InsufficientCapacityError, NodeClaimNotFoundError } from '../errors.ts';
import { FakeCloudProvider } from './fake-cloud-provider.ts';
import { garble, loseAnswer, refuse, repeat, slowDown, throttle } from './fault.ts';
import { makeNodeClaim } from './node-claims.ts';

const is = (key: string, ...values: readonly string[]) => ({ key, operator: 'In' as const, values: [...values] });

test('a launch takes the cheapest type that meets requirements and requests, and says what it took', async () => {
  const provider = new FakeCloudProvider();
  const requirements = [is(OS_LABEL, 'windows'), is(ZONE_LABEL, 'test-zone-3')];
  const small = await provider.create(makeNodeClaim('a', { requirements, labels: { team: 'x' } }));
  assert.equal(small.metadata.labels?.[INSTANCE_TYPE_LABEL], 'small-instance-type');
  assert.equal(small.metadata.labels?.[OS_LABEL], 'windows');
  assert.equal(small.metadata.labels?.[ZONE_LABEL], 'test-zone-3');
  assert.equal(small.metadata.labels?.[CAPACITY_TYPE_LABEL], 'on-demand');
  assert.equal(small.metadata.labels?.['team'], 'x');
  assert.deepEqual(small.status?.capacity, { cpu: '2', memory: '2Gi', pods: '5' });
  assert.deepEqual(small.status?.allocatable, { cpu: '1900m', memory: '2038Mi', pods: '5' });
  const large = await provider.create(makeNodeClaim('b', { resources: { requests: { cpu: '3' } } }));
  assert.equal(large.metadata.labels?.[INSTANCE_TYPE_LABEL], 'default-instance-type');
});

test('what no type can give is insufficient capacity', async () => {
  const provider = new FakeCloudProvider();
  const claim = makeNodeClaim('a', { resources: { requests: { cpu: '1000' } } });
  await assert.rejects(provider.create(claim), InsufficientCapacityError);
  assert.deepEqual(provider.instances, []);
});

test('reserved capacity is used first, counted down and given back', async () => {
  const provider = new FakeCloudProvider({
    instanceTypes: [fakeType('r', { offerings: [reserved('test-zone-1', 'res-1', 1)] })],
  });
  const left = async () => (await provider.instanceTypes(makePool('default')))[0]!.offerings[0]!;
  const first = await provider.create(makeNodeClaim('a'));
  assert.equal(first.metadata.labels?.[provider.reservationIdLabel], 'res-1');
  assert.deepEqual([(await left()).available, (await left()).reservation?.capacity], [false, 0]);
  await assert.rejects(provider.create(makeNodeClaim('b')), InsufficientCapacityError);
  await provider.delete(first);
  assert.deepEqual([(await left()).available, (await left()).reservation?.capacity], [true, 1]);
});

test('types are the same array until the offer changes, and a pool may have its own', async () => {
  const provider = new FakeCloudProvider();
  const types = (pool: string) => provider.instanceTypes(makePool(pool));
  assert.equal(await types('default'), await types('default'));
  const own = [fakeType('own')];
  provider.offer(own, 'special');
  assert.equal(await types('special'), own);
  assert.equal((await types('default')).length, 6);
  provider.offer(new Error('not now'), 'special');
  await assert.rejects(types('special'), /not now/);
});

test('queued faults befall one call each, in order, and the next call is served', async () => {
  const clock = new VirtualClock();
  const provider = new FakeCloudProvider({ clock });
  provider.script('create', ...repeat(2, throttle()), slowDown(5 * SECOND), garble({}));
  await assert.rejects(provider.create(makeNodeClaim('a')), /request limit exceeded/);
  await assert.rejects(provider.create(makeNodeClaim('a')), /request limit exceeded/);
  assert.equal(provider.instances.length, 0);
  const started = clock.now();
  await clock.runUntil(provider.create(makeNodeClaim('a')));
  assert.equal(clock.now() - started, 5 * SECOND);
  assert.deepEqual(await provider.create(makeNodeClaim('b')), {});
  assert.equal(provider.instances.length, 2);
  await provider.create(makeNodeClaim('c'));
  assert.equal(provider.callsOf('create').length, 5);
});

test('a launch whose answer is lost is found again by the next call for the same claim', async () => {
  const provider = new FakeCloudProvider();
  provider.script('create', loseAnswer());
  await assert.rejects(provider.create(makeNodeClaim('a')), /context deadline exceeded/);
  const found = await provider.create(makeNodeClaim('a'));
  assert.deepEqual(provider.instances, [found]);
});

test('a lasting fault befalls every call until it is lifted', async () => {
  const provider = new FakeCloudProvider();
  provider.keepFailing('list', refuse(new Error('down')));
  await assert.rejects(provider.list(), /down/);
  await assert.rejects(provider.list(), /down/);
  provider.recover('list');
  assert.deepEqual(await provider.list(), []);
});

test('an instance outlives as many deletes as it is told to, then nobody finds it', async () => {
  const provider = new FakeCloudProvider({ outlivedDeletes: 1 });
  const claim = await provider.create(makeNodeClaim('a'));
  await provider.delete(claim);
  assert.equal((await provider.get(claim.status!.providerID!)).metadata.name, 'a');
  await provider.delete(claim);
  await assert.rejects(provider.delete(claim), NodeClaimNotFoundError);
  await assert.rejects(provider.get(claim.status!.providerID!), NodeClaimNotFoundError);
});

test('an aborted signal ends a slow call', async () => {
  const clock = new VirtualClock();
  const provider = new FakeCloudProvider({ clock });
  provider.script('create', slowDown(5 * SECOND));
  const abort = new AbortController();
  const call = provider.create(makeNodeClaim('a'), abort.signal);
  abort.abort(new Error('stopped'));
  await assert.rejects(call, /stopped/);
  assert.deepEqual(provider.instances, []);
});
