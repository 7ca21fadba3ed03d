import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CreateFleetCommand,
  DeleteLaunchTemplateCommand,
  DescribeSubnetsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import type { CreateFleetCommandOutput } from '@aws-sdk/client-ec2';
import { sdkHandler } from '../../sdk-handler.ts';
import { codeOf, startEc2, ZONE } from './testing/ec2-fixture.ts';

const typesOf = ({ Instances }: CreateFleetCommandOutput): (string | undefined)[] =>
  (Instances ?? []).map(({ InstanceType }) => InstanceType);
const codesOf = ({ Errors }: CreateFleetCommandOutput): (string | undefined)[] =>
  (Errors ?? []).map(({ ErrorCode }) => ErrorCode);

test('an on-demand fleet launches the cheapest type, with the template, the override and the tags', async (t) => {
  const { template, fleet, running, instance, amd64, network } = await startEc2(t);
  const name = await template('template-a', {
    UserData: Buffer.from('hello').toString('base64'),
    TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'from', Value: 'template' }] }],
  });
  const launched = await fleet({
    template: name,
    types: ['m5.xlarge', 'm5.large', 'c5.4xlarge'],
    more: { TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'team', Value: 'a' }] }] },
  });
  assert.deepEqual(codesOf(launched), []);
  assert.deepEqual(typesOf(launched), ['m5.large']);
  const [entry] = launched.Instances!;
  assert.equal(entry!.Lifecycle, 'on-demand');
  assert.equal(entry!.LaunchTemplateAndOverrides?.Overrides?.SubnetId, network.subnetIds[ZONE]);
  const [id] = await running(launched);
  const found = (await instance(id!))!;
  assert.equal(found.State?.Name, 'running');
  assert.equal(found.ImageId, amd64);
  assert.equal(found.Placement?.AvailabilityZone, ZONE);
  assert.deepEqual(
    found.SecurityGroups?.map(({ GroupId }) => GroupId),
    [network.securityGroupId],
  );
  const tags = Object.fromEntries(found.Tags!.map(({ Key, Value }) => [Key, Value]));
  assert.deepEqual(tags, {
    from: 'template',
    team: 'a',
    'aws:ec2:fleet-id': launched.FleetId,
    'aws:ec2launchtemplate:id': entry!.LaunchTemplateAndOverrides?.LaunchTemplateSpecification?.LaunchTemplateId,
    'aws:ec2launchtemplate:version': '1',
  });
});

test('strategies: prioritized goes by priority, spot by price among deep pools', async (t) => {
  const { template, fleet, ec2 } = await startEc2(t);
  const name = await template('template-a');
  const types = ['m5.large', 'm5.xlarge', 'm5.2xlarge'];
  const priorities = { 'm5.large': 3, 'm5.xlarge': 1, 'm5.2xlarge': 2 };
  assert.deepEqual(typesOf(await fleet({ template: name, types, priorities, strategy: 'prioritized' })), ['m5.xlarge']);
  const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
  const spot = await fleet({ template: name, types, zones, kind: 'spot', strategy: 'price-capacity-optimized' });
  const [{ Lifecycle, AvailabilityZone, InstanceType } = {}] = spot.Instances ?? [];
  assert.equal(Lifecycle, 'spot');
  assert.ok(ec2.spotPrice(InstanceType!, AvailabilityZone!)! > 0);
});

test('a pool without capacity is said to be so, and the next one is taken', async (t) => {
  const { template, fleet, ec2 } = await startEc2(t);
  const name = await template('template-a');
  ec2.setCapacity({ instanceType: 'm5.large', lifecycle: 'on-demand' }, 0);
  const launched = await fleet({ template: name, types: ['m5.large', 'm5.xlarge'] });
  assert.deepEqual(typesOf(launched), ['m5.xlarge']);
  assert.deepEqual(codesOf(launched), ['InsufficientInstanceCapacity']);
  const [{ LaunchTemplateAndOverrides, ErrorMessage } = {}] = launched.Errors ?? [];
  assert.equal(LaunchTemplateAndOverrides?.Overrides?.InstanceType, 'm5.large');
  assert.equal(LaunchTemplateAndOverrides?.Overrides?.AvailabilityZone, ZONE);
  assert.match(ErrorMessage!, /^We currently do not have sufficient m5\.large capacity/);
  const spot = await fleet({ template: name, types: ['m5.large'], kind: 'spot' });
  assert.deepEqual([typesOf(spot), codesOf(spot)], [['m5.large'], []]);
  ec2.setCapacity({}, 0);
  const none = await fleet({ template: name, types: ['m5.large', 'm5.xlarge'], kind: 'spot' });
  assert.deepEqual(
    [typesOf(none), codesOf(none)],
    [[], ['InsufficientInstanceCapacity', 'InsufficientInstanceCapacity']],
  );
});

test('a fleet of many fills what there is, and gives back what was terminated', async (t) => {
  const { template, fleet, running, ec2, clock } = await startEc2(t);
  const name = await template('template-a');
  ec2.setCapacity({ instanceType: 'm5.large' }, 3);
  const launched = await fleet({ template: name, types: ['m5.large'], count: 5 });
  assert.equal(launched.Instances?.[0]?.InstanceIds?.length, 3);
  assert.deepEqual(codesOf(launched), ['InsufficientInstanceCapacity']);
  const [first] = await running(launched);
  ec2.terminate(first!);
  assert.deepEqual(typesOf(await fleet({ template: name, types: ['m5.large'] })), []);
  await clock.advance(60_000);
  assert.deepEqual(typesOf(await fleet({ template: name, types: ['m5.large'] })), ['m5.large']);
});

test('quotas, a missing spot role and too many fleets are errors of each override', async (t) => {
  const { template, fleet, ec2 } = await startEc2(t);
  const name = await template('template-a');
  ec2.setQuota('on-demand', 'standard', 8);
  assert.deepEqual(codesOf(await fleet({ template: name, types: ['m5.2xlarge'] })), []);
  const over = await fleet({ template: name, types: ['m5.large', 'g4dn.xlarge'] });
  assert.deepEqual([typesOf(over), codesOf(over)], [['g4dn.xlarge'], ['VcpuLimitExceeded']]);
  ec2.setQuota('spot', 'standard', 1);
  const spot = { template: name, types: ['m5.large'], kind: 'spot' } as const;
  assert.deepEqual(codesOf(await fleet(spot)), ['MaxSpotInstanceCountExceeded']);
  ec2.setSpotRole('missing');
  assert.deepEqual(codesOf(await fleet(spot)), ['AuthFailure.ServiceLinkedRoleCreationNotPermitted']);
  ec2.setFleetQuota(2);
  assert.deepEqual(codesOf(await fleet({ template: name, types: ['g4dn.xlarge'] })), ['MaxFleetCountExceeded']);
});

test('launches can be refused with any code, until that is lifted', async (t) => {
  const { template, fleet, ec2 } = await startEc2(t);
  const name = await template('template-a');
  const message = 'Your request for accessing resources in this region is being validated.';
  const lift = ec2.refuseLaunches({ instanceType: 'm5.large' }, { code: 'PendingVerification', message });
  const refused = await fleet({ template: name, types: ['m5.large', 'm5.xlarge'] });
  assert.deepEqual([typesOf(refused), codesOf(refused)], [['m5.xlarge'], ['PendingVerification']]);
  assert.equal(refused.Errors![0]!.ErrorMessage, message);
  lift();
  assert.deepEqual(typesOf(await fleet({ template: name, types: ['m5.large', 'm5.xlarge'] })), ['m5.large']);
});

test('a share of all pools can be out of capacity, others as time goes by', async (t) => {
  const { template, fleet, ec2, clock } = await startEc2(t);
  const name = await template('template-a');
  ec2.setShortage(0.5);
  const types = ['m5', 'm5a', 'c5', 'c5a', 'r5', 'r5a', 'm6i', 'c6i', 'r6i'].flatMap((family) => [
    `${family}.large`,
    `${family}.xlarge`,
  ]);
  const short = async (): Promise<Set<string | undefined>> => {
    const launches = await Promise.all(types.map((type) => fleet({ template: name, types: [type] })));
    return new Set(
      launches.flatMap(({ Errors = [] }) =>
        Errors.map((one) => one.LaunchTemplateAndOverrides?.Overrides?.InstanceType),
      ),
    );
  };
  const first = await short();
  assert.ok(first.size > 3 && first.size < 15, `${first.size} of ${types.length} pools`);
  await clock.advance(60_000);
  assert.deepEqual(await short(), first);
  await clock.advance(6 * 3_600_000);
  assert.notDeepEqual(await short(), first);
  ec2.setShortage(0);
  await clock.advance(60_000);
  assert.equal((await short()).size, 0);
});

test('a subnet runs out of addresses, and its free addresses come back', async (t) => {
  const { template, fleet, running, ec2, client, network, clock } = await startEc2(t);
  const subnet = network.subnetIds[ZONE]!;
  const free = async (): Promise<number | undefined> =>
    (await client.send(new DescribeSubnetsCommand({ SubnetIds: [subnet] }))).Subnets?.[0]?.AvailableIpAddressCount;
  assert.equal(await free(), 4091);
  const name = await template('template-a');
  ec2.setFreeAddresses(subnet, 2);
  const launched = await fleet({ template: name, types: ['m5.large'], count: 3 });
  assert.deepEqual(codesOf(launched), ['InsufficientFreeAddressesInSubnet']);
  assert.equal(await free(), 0);
  for (const id of await running(launched)) ec2.terminate(id);
  await clock.advance(60_000);
  assert.equal(await free(), 2);
});

test('what an override names wrongly is its own error; a template that is gone fails the call', async (t) => {
  const { template, fleet, ec2, client, network } = await startEc2(t);
  const name = await template('template-a');
  const wrongArch = await fleet({ template: name, types: ['m6g.large', 'm5.large'] });
  assert.deepEqual([typesOf(wrongArch), codesOf(wrongArch)], [['m5.large'], ['InvalidParameterValue']]);
  const elsewhere = ec2.addSecurityGroup({ vpcId: ec2.addVpc(), name: 'other' });
  const mismatch = await template('template-b', { SecurityGroupIds: [elsewhere] });
  const refused = await fleet({ template: mismatch, types: ['m5.large'] });
  assert.deepEqual(codesOf(refused), ['InvalidParameter']);
  assert.match(refused.Errors![0]!.ErrorMessage!, /belong to different networks/);
  const gone = await template('template-c', { ImageId: 'ami-00000000000000000' });
  assert.deepEqual(codesOf(await fleet({ template: gone, types: ['m5.large'] })), ['InvalidAMIID.NotFound']);
  const profile = await template('template-d', { IamInstanceProfile: { Name: 'nobody' } });
  const unknown = await fleet({ template: profile, types: ['m5.large'] });
  assert.match(
    unknown.Errors![0]!.ErrorMessage!,
    /iamInstanceProfile\.name is invalid\. Invalid IAM Instance Profile name/,
  );
  const old = await fleet({ template: name, types: ['m5.large'], zones: ['us-east-1e'] });
  assert.deepEqual(codesOf(old), ['InvalidFleetConfiguration']);
  await client.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName: name }));
  const code = await codeOf(fleet({ template: name, types: ['m5.large'] }));
  assert.equal(code, 'InvalidLaunchTemplateName.NotFoundException');
  assert.ok(network.securityGroupId);
});

test('a client token makes a fleet once', async (t) => {
  const { template, client, network, ec2, clock } = await startEc2(t);
  const name = await template('template-a');
  const input = {
    Type: 'instant' as const,
    ClientToken: 'token',
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' as const },
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: name, Version: '$Latest' },
        Overrides: [{ InstanceType: 'm5.large' as const, SubnetId: network.subnetIds[ZONE] }],
      },
    ],
  };
  const first = await client.send(new CreateFleetCommand(input));
  const again = await client.send(new CreateFleetCommand(input));
  assert.deepEqual(again.Instances, first.Instances);
  assert.equal(ec2.instances().length, 1);
  const other = { ...input, TargetCapacitySpecification: { TotalTargetCapacity: 2 } };
  assert.equal(await codeOf(client.send(new CreateFleetCommand(other))), 'IdempotentParameterMismatch');
  await clock.advance(25 * 3_600_000);
  await client.send(new CreateFleetCommand(other));
  assert.equal(ec2.instances().length, 3);
});

test('a fleet whose answer is lost is not launched again by the retry of the SDK', async (t) => {
  const { template, emulator, network, ec2 } = await startEc2(t);
  const name = await template('template-a');
  const retrying = new EC2Client({
    region: 'us-east-1',
    endpoint: 'http://aws.invalid',
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' },
    requestHandler: sdkHandler(emulator) as never,
  });
  emulator.faults.inject({ kind: 'reset', when: 'after' }, { operation: 'CreateFleet', times: 1 });
  const launched = await retrying.send(
    new CreateFleetCommand({
      Type: 'instant',
      TargetCapacitySpecification: { TotalTargetCapacity: 2, DefaultTargetCapacityType: 'spot' },
      LaunchTemplateConfigs: [
        {
          LaunchTemplateSpecification: { LaunchTemplateName: name, Version: '$Latest' },
          Overrides: [{ InstanceType: 'm5.large', SubnetId: network.subnetIds[ZONE] }],
        },
      ],
    }),
  );
  const ids = launched.Instances?.flatMap(({ InstanceIds }) => InstanceIds);
  assert.deepEqual(
    ids,
    ec2.instances().map(({ id }) => id),
  );
});

test('a dry run launches nothing, and finds out what a launch would', async (t) => {
  const { template, fleet, ec2 } = await startEc2(t);
  const name = await template('template-a');
  const dry = { more: { DryRun: true }, types: ['m5.large'] };
  assert.equal(await codeOf(fleet({ template: name, ...dry })), 'DryRunOperation');
  assert.equal(await codeOf(fleet({ template: 'none', ...dry })), 'InvalidLaunchTemplateName.NotFoundException');
  assert.equal(ec2.instances().length, 0);
});
