import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeClaim } from '@karpenter-ts/apis';
import { CreateError, InsufficientCapacityError } from '@karpenter-ts/cloudprovider';
import { findCause } from '@karpenter-ts/runtime';
import type { PlacementGroup } from '../placement/placement-group.ts';
import { fleetError } from '../testing/fake-fleets.ts';
import { claim, launchEnvironment, oneOf, readyNodeClass } from '../testing/launch-environment.ts';

type Environment = Awaited<ReturnType<typeof launchEnvironment>>;
type StatusReservation = NonNullable<
  NonNullable<ReturnType<typeof readyNodeClass>['status']>['capacityReservations']
>[number];

interface ReservationParts extends Partial<StatusReservation> {
  readonly left?: number;
}

const labelsOf = ({ metadata }: NodeClaim, ...keys: readonly string[]) =>
  keys.map((key) => metadata.labels![`karpenter.k8s.aws/${key}`]);

/** A process whose NodeClass has these reservations, each of m5.large in zone a with one instance left. */
async function withReservations(
  types: readonly string[],
  reservations: Readonly<Record<string, ReservationParts>>,
  reservedCapacity = true,
): Promise<Environment> {
  const capacityReservations = Object.entries(reservations).map(([id, { left: _left, ...parts }]) => ({
    id,
    instanceType: 'm5.large',
    availabilityZone: 'us-west-2a',
    instanceMatchCriteria: 'targeted' as const,
    ownerID: '012345678901',
    reservationType: 'default' as const,
    state: 'active' as const,
    ...parts,
  }));
  const nodeClass = readyNodeClass({ status: { capacityReservations } });
  const environment = await launchEnvironment({ types, nodeClasses: [nodeClass], reservedCapacity });
  for (const [id, { left = 1 }] of Object.entries(reservations)) environment.reservations.counted(id, left);
  return environment;
}

async function failure(environment: Environment, nodeClaim: NodeClaim): Promise<Error> {
  try {
    await environment.create(nodeClaim);
  } catch (error) {
    return error as Error;
  }
  return assert.fail('it did not fail');
}

test('07/103 a launch into a reservation takes one of what is left of it', async () => {
  const environment = await withReservations(['m5.large'], { 'cr-1': { left: 3 } });
  const nodeClaim = await environment.create(claim());
  assert.equal(environment.reservations.available('cr-1'), 2);
  assert.equal(nodeClaim.metadata.labels!['karpenter.sh/capacity-type'], 'reserved');
  assert.deepEqual(
    labelsOf(nodeClaim, 'capacity-reservation-id', 'capacity-reservation-type', 'capacity-reservation-interruptible'),
    ['cr-1', 'default', 'false'],
  );
});

test('when a reservation is used up, the next launch does without', async () => {
  const environment = await withReservations(['m5.large'], { 'cr-1': { left: 1 } });
  await environment.create(claim());
  const nodeClaim = await environment.create(claim());
  assert.equal(nodeClaim.metadata.labels!['karpenter.sh/capacity-type'], 'spot');
  assert.deepEqual(labelsOf(nodeClaim, 'capacity-reservation-id'), [undefined]);
});

test('07/78, 07/95 without the gate a launch knows nothing of reservations', async () => {
  const environment = await withReservations(['m5.large'], { 'cr-1': { left: 3 } }, false);
  const nodeClaim = await environment.create(
    claim({ requirements: [oneOf('karpenter.sh/capacity-type', 'on-demand')] }),
  );
  assert.equal(nodeClaim.metadata.labels!['karpenter.sh/capacity-type'], 'on-demand');
  assert.equal(environment.reservations.available('cr-1'), 3);
  const { LaunchTemplateData } = environment.fleets.createdTemplates[0]!;
  assert.equal(LaunchTemplateData?.CapacityReservationSpecification, undefined);
});

test('07/79 four reservations, two in the same pool: three templates with one override each, and the larger of the two', async () => {
  const environment = await withReservations(['m5.large', 'm5.xlarge'], {
    'cr-1': { left: 2 },
    'cr-2': { left: 5 },
    'cr-3': { availabilityZone: 'us-west-2b' },
    'cr-4': { instanceType: 'm5.xlarge' },
  });
  await environment.create(claim());
  const configs = environment.fleets.fleets[0]!.LaunchTemplateConfigs!;
  const targets = configs.map(({ LaunchTemplateSpecification: named, Overrides }) => [
    environment.fleets.templateData(named?.LaunchTemplateName)?.CapacityReservationSpecification
      ?.CapacityReservationTarget?.CapacityReservationId,
    Overrides!.map(({ InstanceType, AvailabilityZone }) => `${InstanceType} ${AvailabilityZone}`).join(),
  ]);
  assert.deepEqual(
    targets.sort((a, b) => (a[0]! < b[0]! ? -1 : 1)),
    [
      ['cr-2', 'm5.large us-west-2a'],
      ['cr-3', 'm5.large us-west-2b'],
      ['cr-4', 'm5.xlarge us-west-2a'],
    ],
  );
});

for (const [what, parts, target, options] of [
  ['a plain reservation', {}, 'on-demand', { OnDemandOptions: { AllocationStrategy: 'lowest-price' } }],
  ['a capacity block', { reservationType: 'capacity-block' }, 'capacity-block', {}],
  [
    'an interruptible reservation',
    { interruptible: true },
    'reserved-capacity',
    { ReservedCapacityOptions: { ReservationTypes: ['interruptible-capacity-reservation'] } },
  ],
] as const) {
  test(`07/80 ${what} is asked for as ${target}`, async () => {
    const environment = await withReservations(['m5.large'], { 'cr-1': parts });
    await environment.create(claim());
    const { TargetCapacitySpecification, SpotOptions, OnDemandOptions, ReservedCapacityOptions } =
      environment.fleets.fleets[0]!;
    assert.equal(TargetCapacitySpecification?.DefaultTargetCapacityType, target);
    const sent = { SpotOptions, OnDemandOptions, ReservedCapacityOptions };
    assert.deepEqual(JSON.parse(JSON.stringify(sent)), options);
  });
}

test('07/104 a reservation that EC2 says is full counts as used up; throttling leaves its count', async () => {
  const environment = await withReservations(['m5.large'], { 'cr-1': { left: 3 } });
  const failWith = (code: string) => {
    environment.fleets.choose = (overrides) => ({ errors: overrides.map((override) => fleetError(code, override)) });
  };
  failWith('RequestLimitExceeded');
  assert.ok(findCause(await failure(environment, claim()), CreateError));
  assert.equal(environment.reservations.available('cr-1'), 3);
  failWith('ReservationCapacityExceeded');
  assert.ok(findCause(await failure(environment, claim()), InsufficientCapacityError));
  assert.equal(environment.reservations.available('cr-1'), 0);
  const line = environment.logger.lines.find(({ message }) => message === 'marking capacity reservation unavailable');
  assert.equal(line?.fields['capacity-reservation-id'], 'cr-1');
});

test('07/106, 07/126 of blocks of several types one type is launched, with its cheapest block', async () => {
  const block = { reservationType: 'capacity-block' } as const;
  const environment = await withReservations(['m5.large', 'm5.xlarge'], {
    'cr-1': block,
    'cr-2': { ...block, availabilityZone: 'us-west-2b' },
    'cr-3': { ...block, instanceType: 'm5.xlarge' },
  });
  await environment.create(claim());
  assert.deepEqual(
    environment.fleets.overrides.map(({ InstanceType }) => InstanceType),
    ['m5.large'],
  );
});

const SPREAD = "You've reached the limit of instances in this spread placement group.";

async function inGroup(placementGroup: PlacementGroup): Promise<Environment> {
  const nodeClass = readyNodeClass({ spec: { placementGroupSelector: { name: placementGroup.name } } });
  const outside = readyNodeClass({ name: 'outside' });
  return launchEnvironment({ types: ['m5.large', 'c5.large'], nodeClasses: [nodeClass, outside], placementGroup });
}

const onDemandIn = (...zones: readonly string[]) => [
  oneOf('karpenter.sh/capacity-type', 'on-demand'),
  oneOf('topology.kubernetes.io/zone', ...zones),
];

test('07/109 a full spread group is full for all types in its zone, and says nothing of launches outside of it', async () => {
  const environment = await inGroup({ id: 'pg-1', name: 'group', strategy: 'spread' });
  environment.fleets.choose = (overrides) => ({
    errors: [fleetError('InsufficientInstanceCapacity', overrides[0], SPREAD)],
  });
  const requirements = onDemandIn('us-west-2a');
  assert.ok(findCause(await failure(environment, claim({ requirements })), InsufficientCapacityError));
  for (const instanceType of ['m5.large', 'c5.large']) {
    const pool = { instanceType, zone: 'us-west-2a', capacityType: 'on-demand' };
    assert.equal(environment.unavailable.isUnavailable({ ...pool, placementGroupId: 'pg-1' }, []), true);
    assert.equal(environment.unavailable.isUnavailable(pool, []), false);
    assert.equal(
      environment.unavailable.isUnavailable({ ...pool, zone: 'us-west-2b', placementGroupId: 'pg-1' }, []),
      false,
    );
  }
  assert.match(
    (await failure(environment, claim({ requirements }))).message,
    /all requested instance types were unavailable/,
  );
  const logged =
    'spread placement group availability zone limit reached, marking all instance types unavailable for this placement group in availability zone';
  assert.deepEqual(environment.logger.lines.find(({ message }) => message === logged)?.fields, {
    'placement-group-id': 'pg-1',
    zone: 'us-west-2a',
  });
});

const PARTITION = 'karpenter.k8s.aws/placement-group-partition';

test('a partition that is out of capacity is left for the next, in the template and on the label alike', async () => {
  const environment = await inGroup({ id: 'pg-1', name: 'group', strategy: 'partition', partitionCount: 3 });
  const requirements = [...onDemandIn('us-west-2a'), oneOf(PARTITION, '1', '3')];
  const launched = async () => {
    const nodeClaim = await environment.create(claim({ requirements }));
    const name =
      environment.fleets.fleets.at(-1)!.LaunchTemplateConfigs![0]!.LaunchTemplateSpecification!.LaunchTemplateName;
    return [
      ...labelsOf(nodeClaim, 'placement-group-partition'),
      environment.fleets.templateData(name)?.Placement?.PartitionNumber,
    ];
  };
  assert.deepEqual(await launched(), ['1', 1]);
  environment.fleets.choose = (overrides) => ({
    errors: overrides.map((override) => fleetError('InsufficientInstanceCapacity', override)),
  });
  await failure(environment, claim({ requirements }));
  environment.fleets.choose = (overrides) => ({ instance: overrides[0] });
  assert.deepEqual(await launched(), ['3', 3]);
});

test('a launch that leaves the partition open has an empty label, and one override for a type in a zone', async () => {
  const environment = await inGroup({ id: 'pg-1', name: 'group', strategy: 'partition', partitionCount: 3 });
  for (const requirement of [[], [{ key: PARTITION, operator: 'NotIn', values: ['2'] }]]) {
    const nodeClaim = await environment.create(
      claim({ requirements: [...onDemandIn('us-west-2a'), ...(requirement as never[])] }),
    );
    assert.deepEqual(labelsOf(nodeClaim, 'placement-group-id', 'placement-group-partition'), ['pg-1', '']);
    assert.equal(environment.fleets.overrides.length, 2);
  }
});

test('a placement group that EC2 does not tell of stops the launch, instead of launching outside of it', async () => {
  const environment = await inGroup({ id: 'pg-1', name: 'group', strategy: 'cluster' });
  environment.failPlacementGroups(new Error('no answer'));
  assert.equal(
    (await failure(environment, claim())).message,
    'creating instance, resolving placement group, no answer',
  );
  assert.deepEqual(environment.fleets.fleets, []);
});
