import type {
  DescribeSecurityGroupsRequest,
  DescribeSecurityGroupsResult,
  DescribeSubnetsRequest,
  DescribeSubnetsResult,
  DescribeVpcsRequest,
  DescribeVpcsResult,
  Subnet as SdkSubnet,
  Vpc as SdkVpc,
} from '@aws-sdk/client-ec2';
import { partitionOf } from '../../state/place.ts';
import type { Attributes } from './filters.ts';
import { listPage } from './listing.ts';
import type { SecurityGroup, Subnet, Vpc } from './network.ts';
import { missingIds } from './refusals.ts';
import type { Ec2Region } from './region.ts';
import { type Tags, tagSet } from './tags.ts';

const byTags = ({ tags }: { readonly tags: Tags }): Tags => tags;
const bySerial = ({ serial }: { readonly serial: number }): number => serial;
const PAGE_SIZE = { least: 5, most: 1000 };

/** The things with these ids, or all without any. Throws an ApiError for an id that there is not. */
export function named<T>(
  things: ReadonlyMap<string, T>,
  ids: readonly string[] | undefined,
  missing: (ids: readonly string[]) => Error,
): Iterable<T> {
  if (ids === undefined || ids.length === 0) return things.values();
  const unknown = ids.filter((id) => !things.has(id));
  if (unknown.length > 0) throw missing(unknown);
  return [...new Set(ids)].map((id) => things.get(id)!);
}

const VPCS: Attributes<Vpc> = {
  cidr: ({ cidr }) => cidr,
  'is-default': ({ isDefault }) => isDefault,
  state: () => 'available',
  'vpc-id': ({ id }) => id,
};

export function describeVpcs(region: Ec2Region, input: DescribeVpcsRequest): DescribeVpcsResult {
  const found = named(region.vpcs, input.VpcIds, (ids) => missingIds('InvalidVpcID.NotFound', 'vpc ID', ids));
  const { items, ...next } = listPage(
    { attributes: VPCS, tagsOf: byTags, orderOf: bySerial, pageSize: PAGE_SIZE },
    found,
    input,
  );
  return { Vpcs: items.map((vpc) => describedVpc(region, vpc)), ...next };
}

export function describedVpc({ place }: Ec2Region, { id, cidr, isDefault, tags }: Vpc): SdkVpc {
  return {
    VpcId: id,
    CidrBlock: cidr,
    IsDefault: isDefault,
    OwnerId: place.account,
    State: 'available',
    InstanceTenancy: 'default',
    Tags: tagSet(tags),
  };
}

const SUBNETS: Attributes<Subnet> = {
  'availability-zone': ({ zone }) => zone.name,
  'availability-zone-id': ({ zone }) => zone.id,
  'available-ip-address-count': ({ free }) => free,
  'cidr-block': ({ cidr }) => cidr,
  'default-for-az': ({ isDefaultForZone }) => isDefaultForZone,
  'map-public-ip-on-launch': ({ mapsPublicIps }) => mapsPublicIps,
  state: () => 'available',
  'subnet-id': ({ id }) => id,
  'vpc-id': ({ vpcId }) => vpcId,
};

export function describeSubnets(region: Ec2Region, input: DescribeSubnetsRequest): DescribeSubnetsResult {
  const missing = (ids: readonly string[]): Error => missingIds('InvalidSubnetID.NotFound', 'subnet ID', ids);
  const { items, ...next } = listPage(
    { attributes: SUBNETS, tagsOf: byTags, orderOf: bySerial, pageSize: PAGE_SIZE },
    named(region.subnets, input.SubnetIds, missing),
    input,
  );
  return { Subnets: items.map((subnet) => describedSubnet(region, subnet)), ...next };
}

export function describedSubnet({ place }: Ec2Region, subnet: Subnet): SdkSubnet {
  const { account, region } = place;
  return {
    SubnetId: subnet.id,
    SubnetArn: `arn:${partitionOf(region)}:ec2:${region}:${account}:subnet/${subnet.id}`,
    OwnerId: account,
    VpcId: subnet.vpcId,
    AvailabilityZone: subnet.zone.name,
    AvailabilityZoneId: subnet.zone.id,
    AvailableIpAddressCount: subnet.free,
    CidrBlock: subnet.cidr,
    DefaultForAz: subnet.isDefaultForZone,
    MapPublicIpOnLaunch: subnet.mapsPublicIps,
    AssignIpv6AddressOnCreation: false,
    Ipv6CidrBlockAssociationSet: ipv6Associations(subnet),
    State: 'available',
    Tags: tagSet(subnet.tags),
  };
}

function ipv6Associations({
  ipv6Cidr,
}: Subnet): { Ipv6CidrBlock: string; Ipv6CidrBlockState: { State: 'associated' } }[] {
  return ipv6Cidr === undefined ? [] : [{ Ipv6CidrBlock: ipv6Cidr, Ipv6CidrBlockState: { State: 'associated' } }];
}

const SECURITY_GROUPS: Attributes<SecurityGroup> = {
  description: ({ description }) => description,
  'group-id': ({ id }) => id,
  'group-name': ({ name }) => name,
  'vpc-id': ({ vpcId }) => vpcId,
};

export function describeSecurityGroups(
  { securityGroups, place }: Ec2Region,
  input: DescribeSecurityGroupsRequest,
): DescribeSecurityGroupsResult {
  const missing = (ids: readonly string[]): Error => missingIds('InvalidGroup.NotFound', 'security group', ids);
  const { items, ...next } = listPage(
    {
      attributes: { ...SECURITY_GROUPS, 'owner-id': () => place.account },
      tagsOf: byTags,
      orderOf: bySerial,
      pageSize: PAGE_SIZE,
    },
    named(securityGroups, input.GroupIds, missing),
    input,
  );
  const { account, region } = place;
  return {
    SecurityGroups: items.map(({ id, name, description, vpcId, tags }) => ({
      GroupId: id,
      GroupName: name,
      Description: description,
      SecurityGroupArn: `arn:${partitionOf(region)}:ec2:${region}:${account}:security-group/${id}`,
      OwnerId: account,
      VpcId: vpcId,
      IpPermissions: [],
      IpPermissionsEgress: [],
      Tags: tagSet(tags),
    })),
    ...next,
  };
}
