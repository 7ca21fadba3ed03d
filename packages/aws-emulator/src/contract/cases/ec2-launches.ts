import assert from 'node:assert/strict';
import {
  CreateFleetCommand,
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeInstanceStatusCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { ContractCase } from '../contract-case.ts';
import { codeOf, createTemplate, findInstance, fleetInput, launch, setUpEc2, ZONES } from './ec2-set-up.ts';

const UNKNOWN = 'i-0123456789abcdef0';
const byText = (a: string | undefined, b: string | undefined): number => (a! < b! ? -1 : 1);

export const EC2_LAUNCH_CASES: readonly ContractCase[] = [
  {
    name: 'an instant fleet launches an instance as its template, its override and its tags say',
    services: ['ec2'],
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const { ids, fleet } = await launch(aws, fleetInput(await createTemplate(aws, setUp), setUp));
      assert.match(fleet.FleetId!, /^fleet-/);
      assert.deepEqual([ids.length, fleet.Errors ?? []], [1, []]);
      const { Lifecycle, LaunchTemplateAndOverrides } = fleet.Instances![0]!;
      assert.equal(Lifecycle, 'on-demand');
      const { SubnetId, AvailabilityZone, InstanceType } = LaunchTemplateAndOverrides!.Overrides!;
      assert.equal(InstanceType, 'm5.large');
      const found = (await findInstance(aws, ids[0]!))!;
      assert.deepEqual([found.InstanceType, found.ImageId, found.SubnetId], ['m5.large', setUp.imageId, SubnetId]);
      assert.equal(found.Placement?.AvailabilityZone, AvailabilityZone);
      assert.equal(setUp.subnetIds[AvailabilityZone!], SubnetId);
      assert.ok(found.LaunchTime instanceof Date);
      assert.ok(found.Tags?.some(({ Key, Value }) => Key === setUp.tag.Key && Value === setUp.tag.Value));
      assert.match(found.PrivateDnsName!, /^ip-10-7-\d+-\d+\./);
    },
  },
  {
    name: 'an instance is in the security groups of the network interface in its template',
    services: ['ec2'],
    notOn: { moto: 'does not read the network interfaces of a launch template' },
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const { ids } = await launch(aws, fleetInput(await createTemplate(aws, setUp), setUp));
      const found = (await findInstance(aws, ids[0]!))!;
      assert.deepEqual(
        found.SecurityGroups?.map(({ GroupId }) => GroupId),
        [setUp.securityGroupId],
      );
      assert.equal(found.NetworkInterfaces?.[0]?.InterfaceType, 'interface');
    },
  },
  {
    name: 'a spot fleet launches a spot instance',
    services: ['ec2'],
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const { ids, fleet } = await launch(aws, fleetInput(await createTemplate(aws, setUp), setUp, { spot: true }));
      assert.equal(fleet.Instances?.[0]?.Lifecycle, 'spot');
      assert.equal((await findInstance(aws, ids[0]!))?.InstanceLifecycle, 'spot');
    },
  },
  {
    name: 'a spot instance is known by its request',
    services: ['ec2'],
    notOn: { moto: 'gives the spot instances of a fleet no request' },
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const { ids } = await launch(aws, fleetInput(await createTemplate(aws, setUp), setUp, { spot: true }));
      assert.match((await findInstance(aws, ids[0]!))!.SpotInstanceRequestId!, /^sir-/);
    },
  },
  {
    name: 'a fleet of several launches as many',
    services: ['ec2'],
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const { ids } = await launch(aws, fleetInput(await createTemplate(aws, setUp), setUp, { count: 3 }));
      assert.equal(new Set(ids).size, 3);
    },
  },
  {
    name: 'a fleet from a launch template that is not there is refused',
    services: ['ec2'],
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const code = await codeOf(aws.ec2.send(new CreateFleetCommand(fleetInput(aws.unique('none'), setUp))));
      assert.equal(code, 'InvalidLaunchTemplateName.NotFoundException');
    },
  },
  {
    name: 'a dry run of a fleet is refused with DryRunOperation and launches nothing',
    services: ['ec2'],
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const input = { ...fleetInput(await createTemplate(aws, setUp), setUp), DryRun: true };
      assert.equal(await codeOf(aws.ec2.send(new CreateFleetCommand(input))), 'DryRunOperation');
    },
  },
  {
    name: 'what is wrong with an override is an error of the fleet, with the override, and no refusal',
    services: ['ec2'],
    notOn: { moto: 'has no errors of fleets' },
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const template = await createTemplate(aws, { ...setUp, imageId: 'ami-0123456789abcdef0' });
      const { Instances = [], Errors = [] } = await aws.ec2.send(new CreateFleetCommand(fleetInput(template, setUp)));
      assert.deepEqual(Instances, []);
      assert.deepEqual(
        Errors.map(({ ErrorCode }) => ErrorCode),
        ZONES.map(() => 'InvalidAMIID.NotFound'),
      );
      const zones = Errors.map((one) => one.LaunchTemplateAndOverrides?.Overrides?.AvailabilityZone);
      assert.deepEqual(zones.toSorted(byText), ZONES);
    },
  },
  {
    name: 'a fleet is launched once for a client token',
    services: ['ec2'],
    notOn: { moto: 'does not know client tokens' },
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const input = { ...fleetInput(await createTemplate(aws, setUp), setUp), ClientToken: aws.unique('token') };
      const { ids } = await launch(aws, input);
      assert.deepEqual((await launch(aws, input)).ids, ids);
      const other = { ...input, Context: 'another' };
      assert.equal(await codeOf(aws.ec2.send(new CreateFleetCommand(other))), 'IdempotentParameterMismatch');
    },
  },
  {
    name: 'a dry run of an instance is refused with DryRunOperation',
    services: ['ec2'],
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const run = new RunInstancesCommand({
        DryRun: true,
        MinCount: 1,
        MaxCount: 1,
        InstanceType: 'm5.large',
        LaunchTemplate: { LaunchTemplateName: await createTemplate(aws, setUp), Version: '$Latest' },
        NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: setUp.subnetIds[ZONES[0]] }],
        TagSpecifications: [{ ResourceType: 'instance', Tags: [setUp.tag] }],
      });
      assert.equal(await codeOf(aws.ec2.send(run)), 'DryRunOperation');
    },
  },
  {
    name: 'a dry run of an instance finds an instance profile that is not there',
    services: ['ec2'],
    notOn: { moto: 'does not look at the instance profile of a dry run' },
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const profile = { IamInstanceProfile: { Name: aws.unique('none') } };
      const run = new RunInstancesCommand({
        DryRun: true,
        MinCount: 1,
        MaxCount: 1,
        InstanceType: 'm5.large',
        LaunchTemplate: { LaunchTemplateName: await createTemplate(aws, setUp, profile), Version: '$Latest' },
        NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: setUp.subnetIds[ZONES[0]] }],
      });
      await assert.rejects(aws.ec2.send(run), {
        name: 'InvalidParameterValue',
        message: /Invalid IAM Instance Profile name/,
      });
    },
  },
  {
    name: 'instances are listed by tags and state',
    services: ['ec2'],
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const { ids } = await launch(aws, fleetInput(await createTemplate(aws, setUp), setUp, { count: 2 }));
      const states = ['pending', 'running', 'stopping', 'stopped', 'shutting-down'];
      const Filters = [
        { Name: 'tag-key', Values: [setUp.tag.Key] },
        { Name: `tag:${setUp.tag.Key}`, Values: [setUp.tag.Value] },
        { Name: 'instance-state-name', Values: states },
      ];
      const listed = async (...more: { Name: string; Values: string[] }[]): Promise<unknown> => {
        const { Reservations = [] } = await aws.ec2.send(
          new DescribeInstancesCommand({ Filters: [...Filters, ...more], MaxResults: 1000 }),
        );
        const found = Reservations.flatMap(({ Instances = [] }) => Instances.map(({ InstanceId }) => InstanceId));
        return found.toSorted(byText);
      };
      assert.deepEqual(await listed(), ids.toSorted(byText));
      assert.deepEqual(await listed({ Name: 'tag-key', Values: ['none'] }), []);
    },
  },
  {
    name: 'an instance that is not there can be neither described nor terminated',
    services: ['ec2'],
    run: async ({ ec2 }) => {
      const InstanceIds = [UNKNOWN];
      assert.equal(await codeOf(ec2.send(new DescribeInstancesCommand({ InstanceIds }))), 'InvalidInstanceID.NotFound');
      assert.equal(
        await codeOf(ec2.send(new TerminateInstancesCommand({ InstanceIds }))),
        'InvalidInstanceID.NotFound',
      );
    },
  },
  {
    name: 'an instance that is not there cannot be tagged',
    services: ['ec2'],
    notOn: { moto: 'gives tags to what is not there' },
    run: async ({ ec2 }) => {
      const tags = new CreateTagsCommand({ Resources: [UNKNOWN], Tags: [{ Key: 'a', Value: 'b' }] });
      assert.equal(await codeOf(ec2.send(tags)), 'InvalidInstanceID.NotFound');
    },
  },
  {
    name: 'a terminated instance is told of as such, and can be terminated again',
    services: ['ec2'],
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const { ids } = await launch(aws, fleetInput(await createTemplate(aws, setUp), setUp));
      const { TerminatingInstances } = await aws.ec2.send(new TerminateInstancesCommand({ InstanceIds: [...ids] }));
      assert.equal(TerminatingInstances?.[0]?.InstanceId, ids[0]);
      assert.match(TerminatingInstances![0]!.CurrentState!.Name!, /^(shutting-down|terminated)$/);
      await aws.eventually('the instance is terminated', async () => {
        return (await findInstance(aws, ids[0]!))?.State?.Name === 'terminated';
      });
      const again = await aws.ec2.send(new TerminateInstancesCommand({ InstanceIds: [...ids] }));
      assert.equal(again.TerminatingInstances?.[0]?.InstanceId, ids[0]);
    },
  },
  {
    name: 'tags are added to an instance, and replace those of their keys',
    services: ['ec2'],
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const { ids } = await launch(aws, fleetInput(await createTemplate(aws, setUp), setUp));
      const tag = (Value: string): Promise<unknown> =>
        aws.ec2.send(new CreateTagsCommand({ Resources: [...ids], Tags: [{ Key: 'Name', Value }] }));
      await tag('first');
      await tag('second');
      await aws.eventually('the instance has its name', async () => {
        const names = (await findInstance(aws, ids[0]!))?.Tags?.filter(({ Key }) => Key === 'Name');
        return names?.length === 1 && names[0]!.Value === 'second';
      });
    },
  },
  {
    name: 'a running instance has status checks',
    services: ['ec2'],
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const { ids } = await launch(aws, fleetInput(await createTemplate(aws, setUp), setUp));
      const status = await aws.eventually('the instance runs', async () => {
        const asked = new DescribeInstanceStatusCommand({ InstanceIds: [...ids] });
        return (await aws.ec2.send(asked)).InstanceStatuses?.[0];
      });
      assert.equal(status.InstanceId, ids[0]);
      assert.match(status.InstanceStatus!.Status!, /^(initializing|ok)$/);
      assert.match(status.SystemStatus!.Status!, /^(initializing|ok)$/);
    },
  },
  {
    name: 'the filters of status checks and events leave out an instance that is well',
    services: ['ec2'],
    notOn: { moto: 'does not look at these filters' },
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const { ids } = await launch(aws, fleetInput(await createTemplate(aws, setUp), setUp));
      for (const filter of [
        { Name: 'instance-status.status', Values: ['impaired'] },
        { Name: 'system-status.status', Values: ['impaired'] },
        { Name: 'event.code', Values: ['instance-retirement', 'instance-stop'] },
      ]) {
        const asked = new DescribeInstanceStatusCommand({ Filters: [filter], IncludeAllInstances: true });
        const { InstanceStatuses = [] } = await aws.ec2.send(asked);
        assert.ok(!InstanceStatuses.some(({ InstanceId }) => InstanceId === ids[0]), filter.Name);
      }
    },
  },
  {
    name: 'ids cannot be paged through',
    services: ['ec2'],
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const { ids } = await launch(aws, fleetInput(await createTemplate(aws, setUp), setUp));
      const paged = new DescribeInstancesCommand({ InstanceIds: [...ids], MaxResults: 10 });
      assert.equal(await codeOf(aws.ec2.send(paged)), 'InvalidParameterCombination');
    },
  },
  {
    name: 'a dry run in each of several subnets is answered as one, and launches nothing',
    services: ['ec2'],
    run: async (aws) => {
      const setUp = await setUpEc2(aws);
      const template = await createTemplate(aws, setUp);
      for (const zone of ZONES) {
        const asked = new RunInstancesCommand({
          DryRun: true,
          MinCount: 1,
          MaxCount: 1,
          InstanceType: 'm5.large',
          LaunchTemplate: { LaunchTemplateName: template, Version: '$Latest' },
          NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: setUp.subnetIds[zone]! }],
          TagSpecifications: [{ ResourceType: 'instance', Tags: [setUp.tag] }],
        });
        assert.equal(await codeOf(aws.ec2.send(asked)), 'DryRunOperation', zone);
      }
      const Filters = [{ Name: `tag:${setUp.tag.Key}`, Values: [setUp.tag.Value] }];
      const { Reservations } = await aws.ec2.send(new DescribeInstancesCommand({ Filters }));
      assert.deepEqual(Reservations, []);
    },
  },
];
