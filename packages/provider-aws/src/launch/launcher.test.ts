import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CreateError, InsufficientCapacityError } from '@karpenter-ts/cloudprovider';
import type { NodeClaim } from '@karpenter-ts/apis';
import { findCause, MINUTE } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { AwsError } from '../api/aws-error.ts';
import { spotPrice, subnetsIn } from '../offerings/testing/type-environment.ts';
import { fleetError } from '../testing/fake-fleets.ts';
import { claim, launchEnvironment, oneOf, readyNodeClass } from '../testing/launch-environment.ts';
import { launchFailures } from './fleet-error-recorder.ts';

type Environment = Awaited<ReturnType<typeof launchEnvironment>>;

const onDemand = oneOf('karpenter.sh/capacity-type', 'on-demand');
const spot = oneOf('karpenter.sh/capacity-type', 'spot');
const ofType = (...names: readonly string[]) => oneOf('node.kubernetes.io/instance-type', ...names);
const inZone = (...letters: readonly string[]) =>
  oneOf('topology.kubernetes.io/zone', ...letters.map((letter) => `us-west-2${letter}`));

const label = ({ metadata }: NodeClaim, key: string) => metadata.labels![key];
const capacityTypeOf = (nodeClaim: NodeClaim) => label(nodeClaim, 'karpenter.sh/capacity-type');

async function failure(environment: Environment, nodeClaim: NodeClaim): Promise<Error> {
  try {
    await environment.create(nodeClaim);
  } catch (error) {
    assert.match((error as Error).message, /^creating instance, /);
    return error as Error;
  }
  return assert.fail('it did not fail');
}

/** Every override fails with this code, and nothing is launched. */
function failAll({ fleets }: Environment, code: string, message = ''): void {
  fleets.choose = (overrides) => ({ errors: overrides.map((override) => fleetError(code, override, message)) });
}

/** EC2 launches from here on. */
function recover({ fleets }: Environment): void {
  fleets.choose = (overrides) => ({ instance: overrides[0] });
}

test('07/58 in three zones sixty types are up to 180 overrides', async () => {
  const { instanceTypeFacts, offeringFacts } = await import('@karpenter-ts/ec2-facts');
  const offered = offeringFacts()['us-west-2']!;
  const types = Object.keys(instanceTypeFacts())
    .filter(
      (name) =>
        /^[mcr][567]/.test(name) && ['a', 'b', 'c'].every((zone) => offered[name]?.includes(`us-west-2${zone}`)),
    )
    .slice(0, 90);
  const environment = await launchEnvironment({ types });
  await environment.create(claim({ requirements: [onDemand] }));
  assert.equal(new Set(environment.fleets.overrides.map(({ InstanceType }) => InstanceType)).size, 60);
  assert.equal(environment.fleets.overrides.length, 180);
  await environment.create(claim({ requirements: [onDemand, inZone('a')] }));
  assert.equal(environment.fleets.overrides.length, 60);
  const dearest = Math.max(...environment.fleets.overrides.map(({ Priority }) => Priority!));
  const asked = new Set<string | undefined>(environment.fleets.overrides.map(({ InstanceType }) => InstanceType));
  const left = types.filter((name) => !asked.has(name) && !name.includes('metal'));
  for (const name of left) assert.ok((environment.prices.onDemand(name) ?? Infinity) >= dearest, name);
});

test('07/59 no spot override is dearer than the cheapest on-demand', async () => {
  const environment = await launchEnvironment({ types: ['m5.large', 'c5.large', 'r5.large'] });
  environment.ec2.spot = ['m5.large', 'c5.large', 'r5.large'].flatMap((type) => [
    spotPrice(type, 'us-west-2a', '0.05'),
    spotPrice(type, 'us-west-2b', '0.2'),
  ]);
  await environment.prices.refreshSpot(NEVER);
  await environment.create(claim());
  assert.deepEqual(
    [...new Set(environment.fleets.overrides.map(({ AvailabilityZone }) => AvailabilityZone))],
    ['us-west-2a'],
  );
  const cheapest = Math.min(...['m5.large', 'c5.large', 'r5.large'].map((type) => environment.prices.onDemand(type)!));
  for (const { Priority } of environment.fleets.overrides) assert.ok(Priority! <= cheapest);
});

test('07/60 metal and GPU types are asked for only where nothing else is admitted, or for minValues', async () => {
  const environment = await launchEnvironment({ types: ['m5.large', 'm5.metal', 'g4dn.xlarge'] });
  const asked = async (...requirements: NonNullable<Parameters<typeof claim>[0]>['requirements'] & object) => {
    await environment.create(claim({ requirements: [onDemand, ...requirements] }));
    return [...new Set(environment.fleets.overrides.map(({ InstanceType }) => String(InstanceType)))].sort();
  };
  assert.deepEqual(await asked(), ['m5.large']);
  assert.deepEqual(await asked(ofType('m5.metal')), ['m5.metal']);
  assert.deepEqual(await asked({ key: 'karpenter.k8s.aws/instance-size', operator: 'Exists', minValues: 2 }), [
    'g4dn.xlarge',
    'm5.large',
    'm5.metal',
  ]);
});

test('07/63 with a price overlay EC2 goes by priority', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  const strategies = async (requirement: typeof spot, annotations: Readonly<Record<string, string>>) => {
    await environment.create(claim({ requirements: [requirement], annotations }));
    const { SpotOptions, OnDemandOptions } = environment.fleets.fleets.at(-1)!;
    return [SpotOptions?.AllocationStrategy, OnDemandOptions?.AllocationStrategy];
  };
  const overlaid = { 'karpenter.sh/price-overlay-applied': 'true' };
  assert.deepEqual(await strategies(spot, {}), ['price-capacity-optimized', undefined]);
  assert.deepEqual(await strategies(spot, overlaid), ['capacity-optimized-prioritized', undefined]);
  assert.deepEqual(await strategies(onDemand, {}), [undefined, 'lowest-price']);
  assert.deepEqual(await strategies(onDemand, overlaid), [undefined, 'prioritized']);
});

test('07/64, 07/131 the context is sent if there is one, unless minValues were relaxed', async () => {
  const nodeClasses = [readyNodeClass({ spec: { context: 'context-1' } }), readyNodeClass({ name: 'without' })];
  const environment = await launchEnvironment({ types: ['m5.large'], nodeClasses });
  const context = async (nodeClaim: NodeClaim) => {
    await environment.create(nodeClaim);
    return environment.fleets.fleets.at(-1)!.Context;
  };
  const relaxed = (value: string) => ({ annotations: { 'karpenter.sh/nodeclaim-min-values-relaxed': value } });
  assert.equal(await context(claim()), 'context-1');
  assert.equal(await context(claim(relaxed('true'))), undefined);
  assert.equal(await context(claim(relaxed('false'))), 'context-1');
  assert.equal(await context(claim({ nodeClass: 'without' })), undefined);
});

const TWO_SUBNETS = [
  { id: 'subnet-1', zone: 'us-west-2a', zoneID: 'usw2-az1' },
  { id: 'subnet-2', zone: 'us-west-2a', zoneID: 'usw2-az1' },
];

async function twoSubnets(free: readonly [number, number]): Promise<Environment> {
  const nodeClass = readyNodeClass({ spec: { kubelet: { maxPods: 1 } }, status: { subnets: TWO_SUBNETS } });
  const environment = await launchEnvironment({ types: ['m5.large'], nodeClasses: [nodeClass] });
  for (const [index, { id }] of TWO_SUBNETS.entries()) environment.addresses.listed(id, free[index]!);
  return environment;
}

test('of two subnets in a zone the one with more free addresses is used, of equal ones the first', async () => {
  const environment = await twoSubnets([10, 11]);
  const used: unknown[] = [];
  for (let index = 0; index < 3; index++) {
    await environment.create(claim());
    used.push(environment.fleets.overrides[0]!.SubnetId);
  }
  assert.deepEqual(used, ['subnet-2', 'subnet-1', 'subnet-2']);
});

test('two launches at once see what the other will take', async () => {
  const environment = await twoSubnets([10, 10]);
  await environment.clock.runUntil(Promise.all([1, 2].map(() => environment.launcher.create(claim(), NEVER))));
  assert.deepEqual(
    environment.fleets.fleets.map((input) => String(input.LaunchTemplateConfigs![0]!.Overrides![0]!.SubnetId)).sort(),
    ['subnet-1', 'subnet-2'],
  );
});

test('07/66, 08/10 a launch that fails gives its addresses back, whatever it failed at', async () => {
  const environment = await twoSubnets([10, 11]);
  environment.fleets.fleetFailures.push(new AwsError('InternalError', 'x'));
  await failure(environment, claim());
  assert.deepEqual(
    TWO_SUBNETS.map(({ id }) => environment.addresses.free(id)),
    [10, 11],
  );
  environment.fleets.templateFailures.push({ call: 'createLaunchTemplate', error: new AwsError('InternalError', 'x') });
  await failure(environment, claim({ labels: { another: 'template' } }));
  assert.deepEqual(
    TWO_SUBNETS.map(({ id }) => environment.addresses.free(id)),
    [10, 11],
  );
});

test('07/66 addresses of zones that EC2 did not choose are given back', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  for (const { id } of subnetsIn('a', 'b', 'c')) environment.addresses.listed(id, 100);
  await environment.create(claim());
  assert.deepEqual(
    subnetsIn('a', 'b', 'c').map(({ id }) => environment.addresses.free(id)),
    [100 - 29, 100, 100],
  );
});

test('07/67 after a subnet ran out of addresses, the next launch uses the other', async () => {
  const environment = await twoSubnets([10, 11]);
  failAll(environment, 'InsufficientFreeAddressesInSubnet');
  assert.ok(findCause(await failure(environment, claim({ requirements: [onDemand] })), InsufficientCapacityError));
  assert.equal(environment.addresses.free('subnet-2'), 0);
  recover(environment);
  environment.unavailable.delete({ instanceType: 'm5.large', zone: 'us-west-2a', capacityType: 'on-demand' });
  await environment.create(claim({ requirements: [onDemand] }));
  assert.equal(environment.fleets.overrides[0]!.SubnetId, 'subnet-1');
});

test('07/68, 07/122 what EC2 has no spot capacity for is marked, and the next launch is on-demand', async () => {
  const environment = await launchEnvironment({ types: ['m5.large', 'c5.large'] });
  failAll(environment, 'InsufficientInstanceCapacity', 'none');
  const error = await failure(environment, claim());
  assert.ok(findCause(error, InsufficientCapacityError));
  assert.match(
    error.message,
    /^creating instance, insufficient capacity, with fleet error\(s\), InsufficientInstanceCapacity: none \(/,
  );
  const isMarked = (capacityType: string) =>
    environment.unavailable.isUnavailable({ instanceType: 'c5.large', zone: 'us-west-2a', capacityType }, []);
  assert.deepEqual([isMarked('spot'), isMarked('on-demand')], [true, false]);
  await failure(environment, claim());
  assert.equal(isMarked('on-demand'), true);
  assert.deepEqual(
    environment.fleets.fleets.map(
      ({ TargetCapacitySpecification }) => TargetCapacitySpecification?.DefaultTargetCapacityType,
    ),
    ['spot', 'on-demand'],
  );
});

test('07/122 after a lack of capacity in a zone, or of a type, the next launch uses another', async () => {
  const environment = await launchEnvironment({ types: ['m5.large', 'c5.large'] });
  const launched = async () => {
    const nodeClaim = await environment.create(claim({ requirements: [onDemand] }));
    return `${label(nodeClaim, 'node.kubernetes.io/instance-type')} ${label(nodeClaim, 'topology.kubernetes.io/zone')}`;
  };
  assert.equal(await launched(), 'c5.large us-west-2a');
  environment.unavailable.markUnavailable(
    { instanceType: 'c5.large', zone: 'us-west-2a', capacityType: 'on-demand' },
    { reason: 'x' },
  );
  assert.equal(await launched(), 'c5.large us-west-2b');
  for (const zone of ['us-west-2b', 'us-west-2c']) {
    environment.unavailable.markUnavailable(
      { instanceType: 'c5.large', zone, capacityType: 'on-demand' },
      { reason: 'x' },
    );
  }
  assert.equal(await launched(), 'm5.large us-west-2a');
});

test('07/69 without the role for spot no type is spot any more, on-demand is fine, and the NodeClaim is told', async () => {
  const environment = await launchEnvironment({ types: ['m5.large', 'c5.large'] });
  failAll(environment, 'AuthFailure.ServiceLinkedRoleCreationNotPermitted');
  assert.ok(findCause(await failure(environment, claim()), InsufficientCapacityError));
  assert.equal(
    environment.published[0]?.message,
    'Attempted to launch a spot instance but failed due to "AuthFailure.ServiceLinkedRoleCreationNotPermitted"',
  );
  recover(environment);
  assert.equal(capacityTypeOf(await environment.create(claim())), 'on-demand');
});

test('07/71, 07/72, 07/73, 07/148 each error of a fleet counts under its reason and its zone', async () => {
  const environment = await launchEnvironment({ types: ['m5.large', 'c5.large'] });
  const at = (zone: string) => ({ InstanceType: 'm5.large' as const, AvailabilityZone: zone });
  environment.fleets.choose = () => ({
    errors: [
      fleetError('RequestLimitExceeded', at('us-west-2a')),
      fleetError('RequestLimitExceeded', at('us-west-2a')),
      fleetError('InsufficientInstanceCapacity', at('us-west-2b')),
      fleetError('SomethingNew', at('nowhere')),
      fleetError('SomethingNew', undefined),
    ],
  });
  const error = await failure(environment, claim({ requirements: [onDemand] }));
  assert.equal(findCause(error, CreateError)?.conditionReason, 'RequestLimitExceeded');
  const count = (zone: string, zone_id: string, reason: string) =>
    environment.metrics.find(launchFailures, { zone, zone_id, capacity_type: 'on-demand', reason });
  assert.equal(count('us-west-2a', 'usw2-az1', 'RequestLimitExceeded'), 2);
  assert.equal(count('us-west-2b', 'usw2-az2', 'LaunchFailed'), 1);
  assert.equal(count('nowhere', '', 'LaunchFailed'), 1);
  assert.equal(count('', '', 'LaunchFailed'), 1);
});

const notFound = () => new AwsError('InvalidLaunchTemplateName.NotFoundException', 'gone');

test('07/74 a launch whose template is gone is tried once more, with the template made anew', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  await environment.create(claim());
  environment.fleets.templates.clear();
  environment.fleets.templateCalls.splice(0);
  environment.fleets.fleetFailures.push(notFound());
  await environment.create(claim());
  assert.deepEqual(
    environment.fleets.templateCalls.map((call) => call.split(' ')[0]),
    ['describeLaunchTemplates', 'createLaunchTemplate'],
  );
  assert.equal(environment.fleets.fleets.length, 3);
});

test('07/74 a template that is gone twice fails the launch, and other errors are not tried again', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  environment.fleets.fleetFailures.push(notFound(), notFound());
  const error = await failure(environment, claim());
  assert.equal(
    findCause(error, CreateError)?.conditionMessage,
    'Launch templates not found when creating fleet request: Instance launch failed',
  );
  assert.equal(environment.fleets.fleets.length, 2);
  environment.fleets.fleetFailures.push(new AwsError('InvalidLaunchTemplateId.NotFound', 'gone'));
  await failure(environment, claim());
  assert.equal(environment.fleets.fleets.length, 3);
});

test('a launch that EC2 keeps waiting for minutes has its template to the end, and a failed one lets go of it', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  const { clock, fleets, templates } = environment;
  const gate = Promise.withResolvers<void>();
  const { answer } = fleets;
  fleets.answer = async (...asked) => {
    await gate.promise;
    return answer(...asked);
  };
  const launch = environment.launcher.create(claim(), NEVER);
  for (let i = 0; i < 3; i++) {
    await clock.advance(1 * MINUTE);
    await templates.sweep(NEVER);
  }
  assert.equal(fleets.templates.size, 1);
  fleets.fleetFailures.push(new AwsError('UnauthorizedOperation', 'no'));
  await failure(environment, claim({ name: 'other', labels: { a: 'b' } }));
  gate.resolve();
  await launch;
  await clock.advance(1 * MINUTE);
  await templates.sweep(NEVER);
  assert.equal(fleets.templates.size, 0);
});

test('07/84 the fleet tags instances, volumes and itself', async () => {
  const { create, fleets } = await launchEnvironment({ types: ['m5.large'] });
  await create(claim({ requirements: [spot] }));
  assert.deepEqual(
    fleets.fleets[0]!.TagSpecifications!.map(({ ResourceType }) => ResourceType),
    ['instance', 'volume', 'fleet'],
  );
});

test('07/86 equal NodeClaims at once are one request to EC2, and each gets an instance of its own', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  const claims = [1, 2, 3, 4, 5].map((index) => claim({ name: `default-${index}` }));
  const launched = await environment.clock.runUntil(
    Promise.all(claims.map((one) => environment.launcher.create(one, NEVER))),
  );
  assert.deepEqual(
    environment.fleets.fleets.map(
      ({ TargetCapacitySpecification }) => TargetCapacitySpecification?.TotalTargetCapacity,
    ),
    [5],
  );
  assert.equal(new Set(launched.map(({ status }) => status?.providerID)).size, 5);
  assert.equal(environment.fleets.createdTemplates.length, 1);
});

test('07/129 minValues puts as many distinct values into the request, although one type would do', async () => {
  const environment = await launchEnvironment({ types: ['m5.large', 'm5.xlarge', 'c5.large'] });
  const varied = (key: string) => ({ key, operator: 'Exists' as const, minValues: 2 });
  const requirements = [
    onDemand,
    varied('node.kubernetes.io/instance-type'),
    varied('karpenter.k8s.aws/instance-family'),
  ];
  await environment.create(claim({ requirements }));
  const asked = new Set(environment.fleets.overrides.map(({ InstanceType }) => String(InstanceType)));
  assert.ok(asked.size >= 2);
  assert.equal(new Set([...asked].map((name) => name.split('.')[0])).size, 2);
});

test('07/139 tenancy is that which the NodeClaim admits', async () => {
  const environment = await launchEnvironment({ types: ['m5.large'] });
  const tenancy = async (...values: readonly string[]) => {
    const requirements = values.length === 0 ? [] : [oneOf('karpenter.k8s.aws/instance-tenancy', ...values)];
    const nodeClaim = await environment.create(claim({ requirements }));
    const name =
      environment.fleets.fleets.at(-1)!.LaunchTemplateConfigs![0]!.LaunchTemplateSpecification!.LaunchTemplateName;
    return [
      label(nodeClaim, 'karpenter.k8s.aws/instance-tenancy'),
      environment.fleets.templateData(name)?.Placement?.Tenancy,
    ];
  };
  assert.deepEqual(await tenancy(), ['default', 'default']);
  assert.deepEqual(await tenancy('default', 'dedicated'), ['default', 'default']);
  assert.deepEqual(await tenancy('dedicated'), ['dedicated', 'dedicated']);
});

test('falling back to on-demand with few types is warned of, and the launch goes on', async () => {
  const environment = await launchEnvironment({ types: ['m5.large', 'c5.large'] });
  environment.unavailable.markCapacityTypeUnavailable('spot');
  assert.equal(capacityTypeOf(await environment.create(claim())), 'on-demand');
  const line = environment.logger.lines.find(({ level }) => level === 'error')!;
  assert.equal(line.message, 'failed while checking on-demand fallback');
  assert.match(line.error!, /only has 2 instance type options$/);
});

test('what EC2 passed over is remembered although an instance was launched', async () => {
  const environment = await launchEnvironment({ types: ['m5.large', 'c5.large'] });
  environment.fleets.choose = ([first, second]) => ({
    instance: second,
    errors: [fleetError('InsufficientInstanceCapacity', first)],
  });
  await environment.create(claim({ requirements: [onDemand] }));
  const { InstanceType, AvailabilityZone } = environment.fleets.overrides[0]!;
  assert.equal(
    environment.unavailable.isUnavailable(
      { instanceType: InstanceType!, zone: AvailabilityZone!, capacityType: 'on-demand' },
      [],
    ),
    true,
  );
  const line = environment.logger.lines.find(({ message }) => message === 'removing offering from offerings');
  assert.equal(line?.fields['fleet-id'], 'fleet-1');
});
