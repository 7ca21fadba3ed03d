import assert from 'node:assert/strict';
import {
  CreatePlacementGroupCommand,
  DescribeCapacityReservationsCommand,
  DescribeImagesCommand,
  DescribePlacementGroupsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
} from '@aws-sdk/client-ec2';
import type { ContractCase } from '../contract-case.ts';
import { codeOf, setUpEc2, ZONES } from './ec2-set-up.ts';

const byText = (a: string | undefined, b: string | undefined): number => (a! < b! ? -1 : 1);

export const EC2_RESOURCE_CASES: readonly ContractCase[] = [
  {
    name: 'subnets are found by tag and by id, with their zone and their free addresses',
    services: ['ec2'],
    run: async (aws) => {
      const { tag, subnetIds, vpcId } = await setUpEc2(aws);
      const byTag = [{ Name: `tag:${tag.Key}`, Values: [tag.Value] }];
      const found = await aws.ec2.send(new DescribeSubnetsCommand({ Filters: byTag, MaxResults: 500 }));
      const zones = (found.Subnets ?? []).map((one) => [one.AvailabilityZone, one.SubnetId] as const);
      assert.deepEqual(Object.fromEntries(zones), subnetIds);
      for (const { AvailabilityZoneId, AvailableIpAddressCount, VpcId, State } of found.Subnets!) {
        assert.match(AvailabilityZoneId!, /^use1-az\d$/);
        assert.deepEqual([AvailableIpAddressCount, VpcId, State], [251, vpcId, 'available']);
      }
      const byId = [{ Name: 'subnet-id', Values: Object.values(subnetIds) }];
      assert.equal((await aws.ec2.send(new DescribeSubnetsCommand({ Filters: byId }))).Subnets?.length, 2);
    },
  },
  {
    name: 'filters are all to be passed, by one of their values; tag-key asks for any value',
    services: ['ec2'],
    run: async (aws) => {
      const { tag, subnetIds, vpcId } = await setUpEc2(aws);
      const ids = async (...Filters: { Name: string; Values: string[] }[]): Promise<unknown> => {
        const { Subnets = [] } = await aws.ec2.send(new DescribeSubnetsCommand({ Filters }));
        return Subnets.map(({ SubnetId }) => SubnetId).toSorted(byText);
      };
      const vpc = { Name: 'vpc-id', Values: [vpcId] };
      const both = Object.values(subnetIds).toSorted(byText);
      assert.deepEqual(await ids(vpc, { Name: 'tag-key', Values: [tag.Key] }), both);
      assert.deepEqual(await ids(vpc, { Name: 'tag-key', Values: ['none', tag.Key] }), both);
      assert.deepEqual(await ids(vpc, { Name: `tag:${tag.Key}`, Values: ['other'] }), []);
      const zone = { Name: 'availability-zone', Values: [ZONES[1]] };
      assert.deepEqual(await ids(vpc, zone), [subnetIds[ZONES[1]]]);
      assert.deepEqual(await ids(vpc, { Name: `tag:${tag.Key}`, Values: [`${tag.Value.slice(0, -2)}*`] }), both);
    },
  },
  {
    name: 'a subnet that is not there is refused by its id, and is nothing to a filter',
    services: ['ec2'],
    run: async ({ ec2 }) => {
      const SubnetIds = ['subnet-0123456789abcdef0'];
      assert.equal(await codeOf(ec2.send(new DescribeSubnetsCommand({ SubnetIds }))), 'InvalidSubnetID.NotFound');
      const Filters = [{ Name: 'subnet-id', Values: SubnetIds }];
      assert.deepEqual((await ec2.send(new DescribeSubnetsCommand({ Filters }))).Subnets, []);
    },
  },
  {
    name: 'security groups are found by tag, by name and by id',
    services: ['ec2'],
    run: async (aws) => {
      const { tag, securityGroupId } = await setUpEc2(aws);
      for (const filter of [
        { Name: `tag:${tag.Key}`, Values: [tag.Value] },
        { Name: 'group-name', Values: [aws.unique('nodes')] },
        { Name: 'group-id', Values: [securityGroupId] },
      ]) {
        const { SecurityGroups = [] } = await aws.ec2.send(new DescribeSecurityGroupsCommand({ Filters: [filter] }));
        const found = SecurityGroups.map(({ GroupId, GroupName }) => [GroupId, GroupName]);
        assert.deepEqual(found, [[securityGroupId, aws.unique('nodes')]], filter.Name);
      }
    },
  },
  {
    name: 'images are found by id, by name and by tag',
    services: ['ec2'],
    run: async (aws) => {
      const { tag, imageId, imageName } = await setUpEc2(aws);
      const state = { Name: 'state', Values: ['available'] };
      for (const input of [
        { Filters: [state, { Name: 'image-id', Values: [imageId] }] },
        { Filters: [state, { Name: 'name', Values: [imageName] }], Owners: ['self'] },
        { Filters: [state, { Name: `tag:${tag.Key}`, Values: [tag.Value] }] },
      ]) {
        const { Images = [] } = await aws.ec2.send(new DescribeImagesCommand({ ...input, IncludeDeprecated: true }));
        assert.deepEqual(
          Images.map(({ ImageId, Name }) => [ImageId, Name]),
          [[imageId, imageName]],
        );
        assert.ok(!Number.isNaN(Date.parse(Images[0]!.CreationDate!)));
      }
      const other = { Filters: [{ Name: 'image-id', Values: [imageId] }], Owners: ['111111111111'] };
      assert.deepEqual((await aws.ec2.send(new DescribeImagesCommand(other))).Images, []);
    },
  },
  {
    name: 'an image is described with its architecture',
    services: ['ec2'],
    notOn: { moto: 'forgets the architecture of an image that is registered' },
    run: async (aws) => {
      const { imageId } = await setUpEc2(aws);
      const { Images = [] } = await aws.ec2.send(new DescribeImagesCommand({ ImageIds: [imageId] }));
      assert.equal(Images[0]?.Architecture, 'x86_64');
    },
  },
  {
    name: 'an image that is not there is refused by its id, and is nothing to a filter',
    services: ['ec2'],
    run: async ({ ec2 }) => {
      const ImageIds = ['ami-0123456789abcdef0'];
      assert.equal(await codeOf(ec2.send(new DescribeImagesCommand({ ImageIds }))), 'InvalidAMIID.NotFound');
      const Filters = [{ Name: 'image-id', Values: ImageIds }];
      assert.deepEqual((await ec2.send(new DescribeImagesCommand({ Filters }))).Images, []);
    },
  },
  {
    name: 'a placement group is found by its name and by its id',
    services: ['ec2'],
    notOn: { moto: 'has no placement groups' },
    run: async ({ ec2, unique }) => {
      const GroupName = unique('group');
      await ec2.send(new CreatePlacementGroupCommand({ GroupName, Strategy: 'partition', PartitionCount: 3 }));
      const Filters = [{ Name: 'state', Values: ['available'] }];
      const byName = await ec2.send(new DescribePlacementGroupsCommand({ GroupNames: [GroupName], Filters }));
      const [{ GroupId, Strategy, PartitionCount } = {}] = byName.PlacementGroups ?? [];
      assert.deepEqual([Strategy, PartitionCount], ['partition', 3]);
      const byId = await ec2.send(new DescribePlacementGroupsCommand({ GroupIds: [GroupId!], Filters }));
      assert.equal(byId.PlacementGroups?.[0]?.GroupName, GroupName);
    },
  },
  {
    name: 'a placement group that is not there is refused',
    services: ['ec2'],
    notOn: { moto: 'has no placement groups' },
    run: async ({ ec2, unique }) => {
      const unknown = new DescribePlacementGroupsCommand({ GroupNames: [unique('none')] });
      assert.equal(await codeOf(ec2.send(unknown)), 'InvalidPlacementGroup.Unknown');
    },
  },
  {
    name: 'a capacity reservation that is not there is refused by its id, and is nothing to a filter',
    services: ['ec2'],
    notOn: { moto: 'has no capacity reservations' },
    run: async ({ ec2, unique }) => {
      const byId = new DescribeCapacityReservationsCommand({ CapacityReservationIds: ['cr-0123456789abcdef0'] });
      assert.equal(await codeOf(ec2.send(byId)), 'InvalidCapacityReservationId.NotFound');
      const Filters = [{ Name: 'tag:team', Values: [unique('none')] }];
      const none = await ec2.send(new DescribeCapacityReservationsCommand({ Filters, MaxResults: 1000 }));
      assert.deepEqual(none.CapacityReservations, []);
    },
  },
];
