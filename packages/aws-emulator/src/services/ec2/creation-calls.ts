import type {
  CreatePlacementGroupRequest,
  CreatePlacementGroupResult,
  CreateSecurityGroupRequest,
  CreateSecurityGroupResult,
  CreateSubnetRequest,
  CreateSubnetResult,
  CreateVpcRequest,
  CreateVpcResult,
  RegisterImageRequest,
  RegisterImageResult,
  TagSpecification,
} from '@aws-sdk/client-ec2';
import { ApiError } from '../../wire/api-error.ts';
import {
  createImage,
  createPlacementGroup,
  createSecurityGroup,
  createSubnet,
  createVpc,
  type GivenTags,
} from './creations.ts';
import { describedSubnet, describedVpc } from './describe-network.ts';
import { describedGroup } from './describe-reservations.ts';
import { invalidValue, missingIds, refuseDryRun } from './refusals.ts';
import type { Ec2Region } from './region.ts';
import { specifiedTags, tagSet } from './tags.ts';

/** The provider creates none of this, but whoever sets an account up does. */
export function createVpcCall(region: Ec2Region, input: CreateVpcRequest): CreateVpcResult {
  if (input.CidrBlock === undefined)
    throw new ApiError('MissingParameter', 'Either CidrBlock or an IPAM pool is needed.');
  const tags = tagsFor('vpc', input.TagSpecifications);
  refuseDryRun(input);
  return { Vpc: describedVpc(region, createVpc(region, { cidr: input.CidrBlock, tags })) };
}

export function createSubnetCall(region: Ec2Region, input: CreateSubnetRequest): CreateSubnetResult {
  const { VpcId: vpcId = '', CidrBlock: cidr, AvailabilityZone, AvailabilityZoneId, Ipv6CidrBlock } = input;
  if (!region.vpcs.has(vpcId)) throw missingIds('InvalidVpcID.NotFound', 'vpc ID', [vpcId]);
  if (cidr === undefined) throw new ApiError('MissingParameter', 'The request must contain the parameter CidrBlock');
  const { zones } = region.catalogue;
  const zone =
    AvailabilityZone === undefined && AvailabilityZoneId === undefined
      ? zones[0]!
      : zones.find(({ name, id }) => name === AvailabilityZone || id === AvailabilityZoneId);
  if (zone === undefined) {
    throw invalidValue(`Value (${AvailabilityZone ?? AvailabilityZoneId}) for parameter availabilityZone is invalid.`);
  }
  const tags = tagsFor('subnet', input.TagSpecifications);
  refuseDryRun(input);
  const ipv6 = Ipv6CidrBlock === undefined ? {} : { ipv6Cidr: Ipv6CidrBlock };
  return { Subnet: describedSubnet(region, createSubnet(region, { vpcId, zone: zone.name, cidr, tags, ...ipv6 })) };
}

export function createSecurityGroupCall(
  region: Ec2Region,
  input: CreateSecurityGroupRequest,
): CreateSecurityGroupResult {
  const { GroupName: name = '', Description: description = '', VpcId: vpcId } = input;
  if (vpcId === undefined) throw new ApiError('VPCIdNotSpecified', 'No default VPC for this user');
  if (!region.vpcs.has(vpcId)) throw missingIds('InvalidVpcID.NotFound', 'vpc ID', [vpcId]);
  if ([...region.securityGroups.values()].some((one) => one.vpcId === vpcId && one.name === name)) {
    const message = `The security group '${name}' already exists for VPC '${vpcId}'`;
    throw new ApiError('InvalidGroup.Duplicate', message);
  }
  const tags = tagsFor('security-group', input.TagSpecifications);
  refuseDryRun(input);
  const group = createSecurityGroup(region, { vpcId, name, description, tags });
  return { GroupId: group.id, Tags: tagSet(group.tags) };
}

export function createPlacementGroupCall(
  region: Ec2Region,
  input: CreatePlacementGroupRequest,
): CreatePlacementGroupResult {
  const { GroupName: name = '', Strategy: strategy = 'cluster', PartitionCount, SpreadLevel } = input;
  if ([...region.placementGroups.values()].some((one) => one.name === name)) {
    throw new ApiError('InvalidPlacementGroup.Duplicate', `The placement group '${name}' already exists.`);
  }
  if (strategy === 'precision-time') throw invalidValue(`The emulator has no placement groups of '${strategy}'.`);
  const tags = tagsFor('placement-group', input.TagSpecifications);
  refuseDryRun(input);
  const partitions = PartitionCount === undefined ? {} : { partitions: PartitionCount };
  const level = SpreadLevel === undefined ? {} : { spreadLevel: SpreadLevel };
  const group = createPlacementGroup(region, { name, strategy, tags, ...partitions, ...level });
  return { PlacementGroup: describedGroup(region, group) };
}

/** Of the caller's own account. */
export function registerImageCall(region: Ec2Region, input: RegisterImageRequest): RegisterImageResult {
  const { Name: name = '', Description, RootDeviceName, BlockDeviceMappings, Architecture: architecture } = input;
  if (architecture !== 'x86_64' && architecture !== 'arm64') {
    throw invalidValue(`The emulator has no images of the architecture '${architecture}'.`);
  }
  const tags = tagsFor('image', input.TagSpecifications);
  refuseDryRun(input);
  const root = RootDeviceName ?? '/dev/xvda';
  const sizeGib = BlockDeviceMappings?.find(({ DeviceName }) => DeviceName === root)?.Ebs?.VolumeSize ?? 8;
  const image = createImage(region, {
    id: region.newId('ami'),
    name,
    description: Description ?? '',
    architecture,
    owner: 'self',
    rootDevice: { name: root, sizeGib },
    tags,
  });
  return { ImageId: image.id };
}

function tagsFor(resourceType: string, specifications: readonly TagSpecification[] | undefined): GivenTags {
  return Object.fromEntries(specifiedTags(specifications, resourceType));
}
