import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { AWS_PROFILE, CAPACITY_TYPE_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { MINUTE } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { Catalogues, type InstanceType, type Offering } from '@karpenter-ts/scheduling';
import { UnreadableSettingError } from '../instance-types/type-settings.ts';
import type { OfferingResolver } from './offering-resolver.ts';
import { nodeClass, spotPrice, subnetsIn, typeEnvironment } from './testing/type-environment.ts';

const TYPES = ['m5.large', 'm5.xlarge', 'r5.large'];
const ICE = { reason: 'InsufficientInstanceCapacity' };

function labelOf({ requirements }: Offering, label: string): string {
  return requirements.find(({ key }) => key === label)?.values?.[0] ?? '';
}

function poolsOf(type: InstanceType): readonly string[] {
  return type.offerings.map((one) => `${labelOf(one, CAPACITY_TYPE_LABEL)} ${labelOf(one, ZONE_LABEL)}`);
}

function availableOf(type: InstanceType): readonly string[] {
  const pools = poolsOf(type);
  return pools.filter((_, index) => type.offerings[index]!.available);
}

test('07/3 without types or offerings there is nothing to list', async () => {
  const { ec2, discovered, list } = await typeEnvironment({ types: TYPES, isDiscovered: false });
  assert.throws(() => list(), { message: 'no instance types found' });
  const { types } = ec2;
  ec2.types = [[]];
  await assert.rejects(discovered.refreshTypes(NEVER));
  assert.throws(() => list(), { message: 'no instance types found' });
  ec2.types = types;
  await discovered.refreshTypes(NEVER);
  assert.throws(() => list(), { message: 'no instance types offerings found' });
  await discovered.refreshOfferings(NEVER);
  assert.equal(list().length, 3);
});

test('07/4 a NodeClass without subnets has no types', async () => {
  const { list, get } = await typeEnvironment({ types: TYPES });
  const bare = nodeClass({ status: { subnets: [] } });
  assert.throws(() => list(bare), { message: 'no subnets found' });
  assert.throws(() => get('m5.large', bare), { message: 'no subnets found' });
});

test('a type that is not there is not found', async () => {
  const { get } = await typeEnvironment({ types: TYPES });
  assert.throws(() => get('x1.large'), { message: 'instance type x1.large not found in cache' });
  assert.equal(get('m5.large').name, 'm5.large');
});

test('07/35 there is one offering for each type, zone and capacity type, also the second time', async () => {
  const { discovered, list } = await typeEnvironment({ types: TYPES });
  const zones = [...discovered.zones];
  const pools = zones.flatMap((zone) => [`on-demand ${zone}`, `spot ${zone}`]);
  for (const types of [list(), list()]) {
    for (const type of types) assert.deepEqual([...poolsOf(type)].sort(), [...pools].sort());
  }
});

test('07/37 a mark takes one offering of one type out, and the other types stay what they are', async () => {
  const { unavailable, list } = await typeEnvironment({ types: TYPES });
  const before = list();
  assert.equal(availableOf(before[0]!).length, 6);
  unavailable.markUnavailable({ instanceType: 'm5.large', zone: 'us-west-2a', capacityType: 'spot' }, ICE);
  const after = list();
  assert.equal(availableOf(after[0]!).length, 5);
  assert.equal(availableOf(after[0]!).includes('spot us-west-2a'), false);
  assert.deepEqual([after[1], after[2]], [before[1], before[2]]);
  assert.ok(after[1] === before[1] && after[2] === before[2]);
});

test('07/38 where spot cannot be bought, only on-demand offerings are available', async () => {
  const { unavailable, list } = await typeEnvironment({ types: TYPES });
  list();
  unavailable.markCapacityTypeUnavailable('spot');
  for (const type of list()) {
    assert.deepEqual(availableOf(type), ['on-demand us-west-2a', 'on-demand us-west-2b', 'on-demand us-west-2c']);
  }
});

test('07/39 a zone is out of addresses when all its subnets are', async () => {
  const { unavailable, get } = await typeEnvironment({ types: TYPES });
  const [a] = subnetsIn('a');
  const three = nodeClass({ status: { subnets: ['1', '2', '3'].map((id) => ({ ...a!, id })) } });
  const available = () => availableOf(get('m5.large', three)).length;
  assert.equal(available(), 2);
  unavailable.markSubnetUnavailable('1');
  unavailable.markSubnetUnavailable('2');
  assert.equal(available(), 2);
  unavailable.markSubnetUnavailable('3');
  assert.equal(available(), 0);
});

test('07/41 07/42 a type with nothing to buy is listed, and can be bought again when the marks end', async () => {
  const { unavailable, clock, list } = await typeEnvironment({ types: ['m5.large'] });
  for (const pool of availableOf(list()[0]!)) {
    const [capacityType = '', zone = ''] = pool.split(' ');
    unavailable.markUnavailable({ instanceType: 'm5.large', zone, capacityType }, ICE);
  }
  assert.deepEqual(list().map(availableOf), [[]]);
  await clock.advance(3 * MINUTE);
  assert.equal(availableOf(list()[0]!).length, 6);
});

test('07/49 offerings of a zone that traffic is shifted away from are unavailable until the shift ends', async () => {
  const reservation = { ...RESERVATION, availabilityZone: 'us-west-2a' };
  const { zonalShift, reservations, get } = await typeEnvironment({ types: TYPES });
  reservations.counted(reservation.id, 1);
  const of = nodeClass({ status: { capacityReservations: [reservation] } });
  const inA = () => availableOf(get('m5.large', of)).filter((pool) => pool.endsWith('us-west-2a'));
  assert.deepEqual(inA(), ['on-demand us-west-2a', 'spot us-west-2a', 'reserved us-west-2a']);
  zonalShift.set('usw2-az1', true);
  assert.deepEqual(inA(), []);
  assert.equal(availableOf(get('m5.large', of)).length, 4);
  zonalShift.set('usw2-az1', false);
  assert.equal(inA().length, 3);
});

test('07/50 a mark is seen at once by all NodeClasses', async () => {
  const { unavailable, get } = await typeEnvironment({ types: TYPES });
  const classes = [
    ['a', 'b'],
    ['a', 'c'],
  ].map((letters) => nodeClass({ status: { subnets: subnetsIn(...letters) } }));
  const hasSpot = (of: EC2NodeClass) => availableOf(get('m5.large', of)).includes('spot us-west-2a');
  assert.deepEqual(classes.map(hasSpot), [true, true]);
  unavailable.markUnavailable({ instanceType: 'm5.large', zone: 'us-west-2a', capacityType: 'spot' }, ICE);
  assert.deepEqual(classes.map(hasSpot), [false, false]);
});

test('availability is not shared by NodeClasses of which one could not launch the type', async () => {
  const { list } = await typeEnvironment({ types: ['a1.large'] });
  const bottlerocket = nodeClass({ spec: { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] } });
  const nested = nodeClass({ spec: { ...bottlerocket.spec, cpuOptions: { nestedVirtualization: 'enabled' } } });
  const available = [nodeClass(), bottlerocket, nested].map((of) => availableOf(list(of)[0]!).length > 0);
  assert.deepEqual(available, [false, true, false]);
});

test('07/36 a spot offering without a price is unavailable', async () => {
  const { ec2, prices, get } = await typeEnvironment({ types: TYPES });
  assert.ok(availableOf(get('m5.large')).includes('spot us-west-2b'));
  ec2.spot = [spotPrice('m5.large', 'us-west-2a', '0.03')];
  await prices.refreshSpot(NEVER);
  const type = get('m5.large');
  assert.deepEqual(
    availableOf(type).filter((pool) => pool.startsWith('spot')),
    ['spot us-west-2a'],
  );
  const unpriced = type.offerings.find((_, index) => poolsOf(type)[index] === 'spot us-west-2b');
  assert.equal(unpriced?.pricePerHour, 0);
});

test('a new price counts at once, and a refresh without one leaves everything as it is, the index of planning too', async () => {
  const { ec2, prices, list } = await typeEnvironment({ types: TYPES });
  ec2.spot = TYPES.map((type) => spotPrice(type, 'us-west-2a', '0.03'));
  await prices.refreshSpot(NEVER);
  const before = list();
  const catalogues = new Catalogues();
  const index = catalogues.of(before, AWS_PROFILE);
  await prices.refreshSpot(NEVER);
  assert.equal(list(), before);
  assert.equal(catalogues.of(list(), AWS_PROFILE), index);
  ec2.spot = [spotPrice('r5.large', 'us-west-2a', '0.04')];
  await prices.refreshSpot(NEVER);
  const after = list();
  assert.deepEqual(
    after.map((type, index) => type === before[index]),
    [true, true, false],
  );
  assert.notEqual(catalogues.of(after, AWS_PROFILE), index);
});

test('07/119 each setting has types of its own, and the first ones come back with the first settings', async () => {
  const { source } = await typeEnvironment({ types: TYPES });
  const volume = (deviceName: string, volumeSize: string, rootVolume?: boolean) => ({
    blockDeviceMappings: [{ deviceName, ebs: { volumeSize }, ...(rootVolume && { rootVolume }) }],
  });
  const specs: readonly Partial<NonNullable<EC2NodeClass['spec']>>[] = [
    {},
    { kubelet: { maxPods: 10 } },
    { kubelet: { kubeReserved: { cpu: '1' } } },
    { kubelet: { systemReserved: { cpu: '1' } } },
    { kubelet: { evictionHard: { 'memory.available': '1Gi' } } },
    { instanceStorePolicy: 'RAID0' },
    { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] },
    volume('/dev/xvda', '30Gi'),
    volume('/dev/xvdb', '30Gi'),
    volume('/dev/xvdb', '31Gi'),
    volume('/dev/xvdb', '31Gi', true),
  ];
  const lists = specs.map((spec) => source.list(nodeClass({ spec }), undefined));
  assert.equal(new Set(lists).size, specs.length);
  const again = specs.map((spec) => source.list(nodeClass({ spec }), undefined));
  assert.ok(again.every((list, index) => list === lists[index]));
});

test('what does not bear on types and offerings makes no difference', async () => {
  const { source } = await typeEnvironment({ types: TYPES });
  const first = source.list(nodeClass(), undefined);
  const subnets = subnetsIn('c', 'b', 'a');
  const other = nodeClass({
    spec: { kubelet: { clusterDNS: ['10.0.0.10'] }, tags: { team: 'a' }, userData: 'x' },
    status: { subnets, securityGroups: [{ id: 'sg-1' }], conditions: [] },
  });
  assert.equal(source.list(other, undefined), first);
});

test('types of settings that nobody has any more are forgotten when others come', async () => {
  const { source, clock } = await typeEnvironment({ types: TYPES });
  const withPods = (maxPods: number) => source.list(nodeClass({ spec: { kubelet: { maxPods } } }), undefined);
  const first = withPods(1);
  await clock.advance(60 * MINUTE);
  assert.equal(withPods(1), first);
  await clock.advance(5 * MINUTE);
  withPods(2);
  assert.notEqual(withPods(1), first);
});

test('07/120 however many ask at once, all get the same list and nobody has changed it', async () => {
  const { source } = await typeEnvironment({ types: TYPES });
  const of = nodeClass();
  const lists = await Promise.all(
    Array.from({ length: 10_000 }, (_, i) =>
      i % 2 === 0 ? source.listInTurns(of, undefined, NEVER) : Promise.resolve(source.list(of, undefined)),
    ),
  );
  assert.equal(new Set(lists).size, 1);
  const fresh = await typeEnvironment({ types: TYPES });
  assert.deepEqual(lists[0], fresh.list());
});

test('what changes while types are resolved in turns is in the list', async () => {
  const { source, unavailable } = await typeEnvironment({ types: TYPES });
  const of = nodeClass();
  const listing = source.listInTurns(of, undefined, NEVER);
  unavailable.markCapacityTypeUnavailable('spot');
  const types = await listing;
  assert.equal(availableOf(types[0]!).length, 3);
  assert.equal(source.list(of, undefined), types);
});

test('07/121 a further resolver is asked once for each type, after the others, and what it adds is listed', async () => {
  const calls: [string, number][] = [];
  const extra: Offering = { requirements: [], pricePerHour: 7, available: true };
  const further: OfferingResolver = {
    version: 0,
    versionOf: () => 0,
    resolve: ({ name }, offerings) => {
      calls.push([name, offerings.length]);
      return [...offerings, { ...extra }];
    },
  };
  const { list, discovered } = await typeEnvironment({ types: TYPES, furtherResolvers: [further] });
  const types = list();
  list();
  assert.deepEqual(
    calls,
    TYPES.map((name) => [name, 2 * discovered.zones.size]),
  );
  assert.ok(types.every(({ offerings }) => offerings.at(-1)?.pricePerHour === 7));
});

const RESERVATION = {
  id: 'cr-1',
  instanceType: 'm5.large',
  availabilityZone: 'us-west-2a',
  instanceMatchCriteria: 'targeted',
  ownerID: '012345678901',
  reservationType: 'default',
  state: 'active',
} as const;

test('07/123 an active and an expiring capacity block have an offering each, of which the active one is available', async () => {
  const { reservations, get, prices } = await typeEnvironment({ types: TYPES });
  const block = { ...RESERVATION, reservationType: 'capacity-block' } as const;
  const expiring = { ...block, id: 'cr-2', availabilityZone: 'us-west-2b', state: 'expiring' } as const;
  for (const id of ['cr-1', 'cr-2']) reservations.counted(id, 1);
  const type = get('m5.large', nodeClass({ status: { capacityReservations: [block, expiring] } }));
  const reserved = type.offerings.filter((one) => labelOf(one, CAPACITY_TYPE_LABEL) === 'reserved');
  const isIn = (key: string, value: string) => ({ key, operator: 'In', values: [value] });
  const requirements = (id: string, zone: string, zoneId: string) => [
    isIn('karpenter.sh/capacity-type', 'reserved'),
    isIn('topology.kubernetes.io/zone', zone),
    isIn('karpenter.k8s.aws/capacity-reservation-id', id),
    isIn('karpenter.k8s.aws/capacity-reservation-type', 'capacity-block'),
    isIn('karpenter.k8s.aws/capacity-reservation-interruptible', 'false'),
    isIn('topology.k8s.aws/zone-id', zoneId),
  ];
  const pricePerHour = prices.onDemand('m5.large')! / 10_000_000;
  assert.deepEqual(reserved, [
    {
      requirements: requirements('cr-1', 'us-west-2a', 'usw2-az1'),
      pricePerHour,
      available: true,
      reservation: { id: 'cr-1', capacity: 1 },
    },
    {
      requirements: requirements('cr-2', 'us-west-2b', 'usw2-az2'),
      pricePerHour,
      available: false,
      reservation: { id: 'cr-2', capacity: 1 },
    },
  ]);
});

test('a reservation is available while it has something left, and its count concerns its own type', async () => {
  const { reservations, source } = await typeEnvironment({ types: TYPES });
  const of = nodeClass({ status: { capacityReservations: [RESERVATION] } });
  const other = nodeClass();
  const [before, unconcerned] = [source.list(of, undefined), source.list(other, undefined)];
  const isReservable = (types: readonly InstanceType[]) => availableOf(types[0]!).includes('reserved us-west-2a');
  assert.equal(isReservable(before), false);
  reservations.counted('cr-1', 1);
  const after = source.list(of, undefined);
  assert.equal(isReservable(after), true);
  assert.ok(after[1] === before[1]);
  assert.equal(source.list(other, undefined), unconcerned);
  reservations.launched('cr-1');
  assert.equal(isReservable(source.list(of, undefined)), false);
});

test('without the gate for reservations there are no offerings of them', async () => {
  const { reservations, get } = await typeEnvironment({ types: TYPES, reservedCapacity: false });
  reservations.counted('cr-1', 1);
  const type = get('m5.large', nodeClass({ status: { capacityReservations: [RESERVATION] } }));
  assert.ok(type.offerings.every((one) => labelOf(one, CAPACITY_TYPE_LABEL) !== 'reserved'));
});

test('a value that nobody can read makes the NodeClass invalid, and no other one', async () => {
  const { list } = await typeEnvironment({ types: TYPES });
  const broken = nodeClass({ spec: { kubelet: { evictionHard: { 'memory.available': '' } } } });
  assert.throws(() => list(broken), UnreadableSettingError);
  assert.equal(list().length, 3);
});

test('types that a launch takes only if nothing else would do are marked', async () => {
  const { list } = await typeEnvironment({
    types: ['c5n.18xlarge', 'g4dn.xlarge', 'inf2.xlarge', 'm5.large', 'm5.metal'],
  });
  assert.deepEqual(
    list().map(({ name, lastResort }) => [name, lastResort]),
    [
      ['c5n.18xlarge', false],
      ['g4dn.xlarge', true],
      ['inf2.xlarge', true],
      ['m5.large', false],
      ['m5.metal', true],
    ],
  );
});

test('subnets whose zone id is not known are told apart by the names of their zones', async () => {
  const { get } = await typeEnvironment({ types: TYPES });
  const subnets = subnetsIn('a', 'b').map(({ id, zone }) => ({ id, zone }));
  const type = get('m5.large', nodeClass({ status: { subnets } }));
  assert.equal(availableOf(type).length, 4);
  assert.ok(type.requirements.every(({ key }) => key !== 'topology.k8s.aws/zone-id'));
  assert.ok(type.offerings.every((one) => labelOf(one, 'topology.k8s.aws/zone-id') === ''));
});
