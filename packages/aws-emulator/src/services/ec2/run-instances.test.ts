import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type _InstanceType, RunInstancesCommand, type RunInstancesCommandInput } from '@aws-sdk/client-ec2';
import { CreateInstanceProfileCommand, IAMClient } from '@aws-sdk/client-iam';
import { sdkHandler } from '../../sdk-handler.ts';
import { codeOf, type Ec2Fixture, startEc2, ZONE } from './testing/ec2-fixture.ts';

const TYPE: _InstanceType = 'm5.large';

/** As the provider asks to find out whether it may. */
function dryRun(template: string, { network }: Ec2Fixture, zone = ZONE): RunInstancesCommandInput {
  return {
    DryRun: true,
    MinCount: 1,
    MaxCount: 1,
    InstanceType: TYPE,
    LaunchTemplate: { LaunchTemplateName: template, Version: '$Latest' },
    NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: network.subnetIds[zone] }],
    TagSpecifications: [
      { ResourceType: 'instance', Tags: [{ Key: 'karpenter.sh/nodepool', Value: '' }] },
      { ResourceType: 'network-interface', Tags: [{ Key: 'team', Value: 'a' }] },
    ],
  };
}

test('a dry run finds out whether an instance could be launched', async (t) => {
  const fixture = await startEc2(t);
  const { client, template, ec2, emulator, clock } = fixture;
  const run = (input: RunInstancesCommandInput): Promise<unknown> => client.send(new RunInstancesCommand(input));
  const plain = await template('plain');
  assert.equal(await codeOf(run(dryRun(plain, fixture))), 'DryRunOperation');
  assert.equal(await codeOf(run(dryRun('absent', fixture))), 'InvalidLaunchTemplateName.NotFoundException');
  const profiled = await template('profiled', { IamInstanceProfile: { Name: 'node-profile' } });
  await assert.rejects(run(dryRun(profiled, fixture)), /Invalid IAM Instance Profile name/);
  const iam = new IAMClient({
    region: 'us-east-1',
    endpoint: 'http://aws.invalid',
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' },
    requestHandler: sdkHandler(emulator) as never,
  });
  await iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: 'node-profile' }));
  assert.equal(await codeOf(run(dryRun(profiled, fixture))), 'InvalidParameterValue', 'EC2 learns of it late');
  await clock.advance(60_000);
  assert.equal(await codeOf(run(dryRun(profiled, fixture))), 'DryRunOperation');
  assert.equal(await codeOf(run(dryRun(plain, fixture, 'us-east-1e'))), 'Unsupported');
  assert.equal(ec2.instances().length, 0);
});

test('instances are launched all or none below the least number, once for a token', async (t) => {
  const fixture = await startEc2(t);
  const { client, template, ec2 } = fixture;
  const name = await template('plain');
  const { DryRun: _, ...input } = dryRun(name, fixture);
  ec2.setCapacity({ instanceType: TYPE }, 2);
  const run = (counts: object): Promise<unknown> => client.send(new RunInstancesCommand({ ...input, ...counts }));
  assert.equal(await codeOf(run({ MinCount: 3, MaxCount: 3 })), 'InsufficientInstanceCapacity');
  assert.equal(ec2.instances().length, 0);
  const two = { ...input, MaxCount: 3, ClientToken: 'once' };
  const first = await client.send(new RunInstancesCommand(two));
  assert.equal(first.Instances?.length, 2);
  assert.equal(first.Instances[0]!.State?.Name, 'pending');
  assert.equal(first.Instances[0]!.SecurityGroups?.[0]?.GroupId, fixture.network.securityGroupId);
  const again = await client.send(new RunInstancesCommand(two));
  assert.deepEqual(
    again.Instances?.map(({ InstanceId }) => InstanceId),
    first.Instances.map(({ InstanceId }) => InstanceId),
  );
  assert.equal(ec2.instances().length, 2);
});

test('interfaces for EFA are counted, and have no address if they are for nothing else', async (t) => {
  const fixture = await startEc2(t);
  const { template, fleet, running, instance } = fixture;
  const Groups = [fixture.network.securityGroupId];
  const interfaces = (count: number, InterfaceType: string): object => ({
    SecurityGroupIds: undefined,
    NetworkInterfaces: Array.from({ length: count }, (_, index) => ({
      NetworkCardIndex: index,
      DeviceIndex: index === 0 ? 0 : 1,
      InterfaceType: index === 0 ? 'efa' : InterfaceType,
      Groups,
    })),
  });
  const name = await template('efa', interfaces(4, 'efa-only'));
  const [id] = await running(await fleet({ template: name, types: ['p4d.24xlarge'] }));
  const found = (await instance(id!))!;
  assert.deepEqual(
    found.NetworkInterfaces?.map((one) => [one.InterfaceType, one.PrivateIpAddresses?.length]),
    [
      ['efa', 1],
      ['efa-only', 0],
      ['efa-only', 0],
      ['efa-only', 0],
    ],
  );
  const tooMany = await template('efas', interfaces(5, 'efa'));
  const refused = await fleet({ template: tooMany, types: ['p4d.24xlarge', 'm5.large'] });
  assert.deepEqual(
    refused.Errors?.map(({ ErrorCode }) => ErrorCode),
    ['AttachmentLimitExceeded', 'AttachmentLimitExceeded'],
  );
});

test('IPv6 addresses are given in subnets that have them, and refused in others', async (t) => {
  const { template, fleet, running, instance, ec2, network } = await startEc2(t);
  const ipv6 = ec2.addClusterNetwork({ cluster: 'ipv6', isIpv6: true });
  const asking = (Groups: string[]): object => ({
    SecurityGroupIds: undefined,
    NetworkInterfaces: [{ DeviceIndex: 0, Groups, PrimaryIpv6: true, Ipv6AddressCount: 1 }],
  });
  const here = await template('ipv6-here', asking([network.securityGroupId]));
  const refused = await fleet({ template: here, types: [TYPE] });
  assert.deepEqual(
    refused.Errors?.map(({ ErrorCode }) => ErrorCode),
    ['InvalidParameterValue'],
  );
  const there = await template('ipv6-there', asking([ipv6.securityGroupId]));
  const override = { InstanceType: TYPE, SubnetId: ipv6.subnetIds[ZONE]! };
  const LaunchTemplateSpecification = { LaunchTemplateName: there, Version: '$Latest' };
  const more = { LaunchTemplateConfigs: [{ LaunchTemplateSpecification, Overrides: [override] }] };
  const [id] = await running(await fleet({ template: there, types: [TYPE], more }));
  const [address] = (await instance(id!))!.NetworkInterfaces![0]!.Ipv6Addresses!;
  assert.match(address!.Ipv6Address!, /^2600:1f18:0:0:/);
  assert.equal(address!.IsPrimaryIpv6, true);
});
