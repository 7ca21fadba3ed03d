import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CreateTagsCommand,
  DeleteTagsCommand,
  DescribeCapacityReservationsCommand,
  DescribeImagesCommand,
  DescribePlacementGroupsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  DescribeTagsCommand,
  paginateDescribeSubnets,
} from '@aws-sdk/client-ec2';
import { codeOf, startEc2, ZONE } from './testing/ec2-fixture.ts';

const DISCOVERY = [{ Name: 'tag:karpenter.sh/discovery', Values: ['test'] }];

test('subnets and security groups of a cluster are found by tag, by tag key and by id', async (t) => {
  const { client, network, ec2 } = await startEc2(t);
  ec2.addSubnet({ vpcId: network.vpcId, zone: ZONE, tags: { 'karpenter.sh/discovery': 'other' } });
  const { Subnets = [] } = await client.send(new DescribeSubnetsCommand({ Filters: DISCOVERY, MaxResults: 500 }));
  const byZone = Object.fromEntries(Subnets.map(({ AvailabilityZone, SubnetId }) => [AvailabilityZone, SubnetId]));
  assert.deepEqual(byZone, network.subnetIds);
  assert.equal(new Set(Subnets.map(({ CidrBlock }) => CidrBlock)).size, Subnets.length);
  assert.equal(Subnets[0]!.AvailabilityZoneId, 'use1-az1');
  const keyed = await client.send(
    new DescribeSubnetsCommand({ Filters: [{ Name: 'tag-key', Values: ['karpenter.sh/*'] }] }),
  );
  assert.equal(keyed.Subnets?.length, Subnets.length + 1);
  const groups = await client.send(new DescribeSecurityGroupsCommand({ Filters: DISCOVERY }));
  assert.deepEqual(
    groups.SecurityGroups?.map(({ GroupId, GroupName }) => [GroupId, GroupName]),
    [[network.securityGroupId, 'test-node']],
  );
  const missing = new DescribeSubnetsCommand({ SubnetIds: ['subnet-0'] });
  assert.equal(await codeOf(client.send(missing)), 'InvalidSubnetID.NotFound');
});

test('pages hold their places while things come and go', async (t) => {
  const { client, network, ec2 } = await startEc2(t);
  const ids = Array.from({ length: 12 }, () =>
    ec2.addSubnet({ vpcId: network.vpcId, zone: ZONE, tags: { page: 'yes' } }),
  );
  const Filters = [{ Name: 'tag:page', Values: ['yes'] }];
  const seen: (string | undefined)[] = [];
  for await (const { Subnets = [] } of paginateDescribeSubnets({ client, pageSize: 5 }, { Filters })) {
    seen.push(...Subnets.map(({ SubnetId }) => SubnetId));
    if (seen.length === 5) ec2.removeSubnet(ids[0]!);
  }
  assert.deepEqual(seen, ids);
});

test('images are found by name, owner and id; deprecated and withdrawn ones only if asked for', async (t) => {
  const { client, ec2, amd64, clock } = await startEc2(t);
  const own = ec2.addImage({ name: 'mine', architecture: 'arm64', owner: 'self', tags: { team: 'a' } });
  const ids = async (input: object): Promise<unknown> =>
    (await client.send(new DescribeImagesCommand(input))).Images?.map(({ ImageId }) => ImageId);
  assert.deepEqual(await ids({ Filters: [{ Name: 'name', Values: ['al2023-x*'] }], Owners: ['amazon'] }), [amd64]);
  assert.deepEqual(await ids({ Owners: ['self'] }), [own]);
  assert.deepEqual(await ids({ Filters: [{ Name: 'tag:team', Values: ['a'] }] }), [own]);
  ec2.setImage(amd64, { deprecatedAt: clock.now() - 1 });
  const byId = { Filters: [{ Name: 'image-id', Values: [amd64] }] };
  assert.deepEqual(await ids(byId), []);
  assert.deepEqual(await ids({ ...byId, IncludeDeprecated: true }), [amd64]);
  const [image] = (await client.send(new DescribeImagesCommand({ ...byId, IncludeDeprecated: true }))).Images!;
  assert.deepEqual([image!.Architecture, image!.State, image!.ImageOwnerAlias], ['x86_64', 'available', 'amazon']);
  assert.ok(image!.DeprecationTime);
  ec2.setImage(amd64, { state: 'deregistered' });
  assert.deepEqual(await ids({ ...byId, IncludeDeprecated: true }), []);
  assert.equal(await codeOf(ids({ ImageIds: [amd64] })), 'InvalidAMIID.NotFound');
  assert.equal(await codeOf(ids({ ImageIds: ['latest'] })), 'InvalidAMIID.Malformed');
});

test('capacity reservations are found by tag, owner, criteria and id', async (t) => {
  const { client, ec2, emulator, clock } = await startEc2(t);
  const open = ec2.addCapacityReservation({ instanceType: 'm5.large', zone: ZONE, count: 3, matchCriteria: 'open' });
  const block = ec2.addCapacityReservation({
    instanceType: 'p5.48xlarge',
    zone: ZONE,
    count: 1,
    type: 'capacity-block',
    endsAt: clock.now() + 86_400_000,
    tags: { team: 'ml' },
  });
  const ids = async (input: object): Promise<unknown> =>
    (await client.send(new DescribeCapacityReservationsCommand(input))).CapacityReservations?.map(
      ({ CapacityReservationId }) => CapacityReservationId,
    );
  const active = { Name: 'state', Values: ['active'] };
  assert.deepEqual(await ids({ Filters: [active, { Name: 'instance-match-criteria', Values: ['open'] }] }), [open]);
  assert.deepEqual(await ids({ Filters: [active, { Name: 'tag:team', Values: ['ml'] }], MaxResults: 1000 }), [block]);
  assert.deepEqual(await ids({ Filters: [{ Name: 'owner-id', Values: [emulator.place.account] }] }), [open, block]);
  assert.equal(await codeOf(ids({ CapacityReservationIds: ['cr-0'] })), 'InvalidCapacityReservationId.NotFound');
  ec2.cancelReservation(open);
  assert.deepEqual(await ids({ CapacityReservationIds: [open], Filters: [active] }), []);
  await clock.advance(2 * 86_400_000);
  assert.deepEqual(await ids({ Filters: [active] }), []);
});

test('a placement group is found by name and by id, and an unknown one is an error', async (t) => {
  const { client, ec2 } = await startEc2(t);
  const id = ec2.addPlacementGroup({ name: 'spread-me', strategy: 'partition', partitions: 3 });
  const ask = async (input: object): Promise<unknown> =>
    (await client.send(new DescribePlacementGroupsCommand(input))).PlacementGroups?.map((group) => [
      group.GroupId,
      group.Strategy,
      group.PartitionCount,
    ]);
  const Filters = [{ Name: 'state', Values: ['available'] }];
  assert.deepEqual(await ask({ GroupIds: [id], Filters }), [[id, 'partition', 3]]);
  assert.deepEqual(await ask({ GroupNames: ['spread-me'], Filters }), [[id, 'partition', 3]]);
  ec2.removePlacementGroup(id);
  assert.equal(await codeOf(ask({ GroupNames: ['spread-me'] })), 'InvalidPlacementGroup.Unknown');
});

test('tags are added, replaced and removed, within what EC2 allows', async (t) => {
  const { client, network } = await startEc2(t);
  const subnet = network.subnetIds[ZONE]!;
  const tag = (Tags: { Key: string; Value?: string }[], Resources = [subnet]): Promise<unknown> =>
    client.send(new CreateTagsCommand({ Resources, Tags }));
  const tags = async (): Promise<unknown> => {
    const Filters = [{ Name: 'resource-id', Values: [subnet] }];
    const { Tags = [] } = await client.send(new DescribeTagsCommand({ Filters }));
    return Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value]));
  };
  await tag([
    { Key: 'a', Value: '1' },
    { Key: 'b', Value: '' },
  ]);
  await tag([{ Key: 'a', Value: '2' }]);
  assert.deepEqual(await tags(), { 'karpenter.sh/discovery': 'test', a: '2', b: '' });
  await client.send(new DeleteTagsCommand({ Resources: [subnet], Tags: [{ Key: 'a', Value: '1' }, { Key: 'b' }] }));
  assert.deepEqual(await tags(), { 'karpenter.sh/discovery': 'test', a: '2' });
  assert.equal(await codeOf(tag([{ Key: 'aws:x', Value: '' }])), 'InvalidParameterValue');
  const many = Array.from({ length: 49 }, (_, index) => ({ Key: `k${index}`, Value: '' }));
  assert.equal(await codeOf(tag(many)), 'TagLimitExceeded');
  assert.equal(await codeOf(tag([{ Key: 'a', Value: '' }], ['i-0123456789abcdef0'])), 'InvalidInstanceID.NotFound');
  assert.equal(await codeOf(tag([{ Key: 'a', Value: '3' }], [subnet, 'vpc-0'])), 'InvalidVpcID.NotFound');
  assert.deepEqual(await tags(), { 'karpenter.sh/discovery': 'test', a: '2' });
});
