import type {
  InstanceTypeInfo,
  LaunchTemplateInstanceNetworkInterfaceSpecificationRequest as InterfaceRequest,
  RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import type { Image } from './images.ts';
import type { Lifecycle } from './instance.ts';
import type { Subnet } from './network.ts';
import type { PlacementGroup } from './placement-groups.ts';
import type { Refusal } from './refusals.ts';
import type { Ec2Region } from './region.ts';
import type { CapacityReservation } from './reservations.ts';

/** Everything that a launch names, found. */
export interface LaunchPlan {
  readonly spec: RequestLaunchTemplateData;
  readonly lifecycle: Lifecycle;
  readonly type: InstanceTypeInfo;
  readonly image: Image;
  readonly subnet: Subnet;
  readonly interfaces: readonly InterfaceRequest[];
  readonly placementGroup: PlacementGroup | undefined;
  /** The one that the launch is targeted at. */
  readonly reservation: CapacityReservation | undefined;
}

/** Thrown where one override of a fleet cannot be launched; a RunInstances is then refused as a whole. */
export class LaunchRefused extends Error {
  readonly refusal: Refusal;

  constructor(code: string, message: string) {
    super(message);
    this.refusal = { code, message };
  }
}

/** Finds what a launch names, and checks that EC2 would take it. Throws LaunchRefused, with what EC2 would say. */
export function planLaunch(region: Ec2Region, spec: RequestLaunchTemplateData, lifecycle: Lifecycle): LaunchPlan {
  const type = findType(region, spec);
  const image = findImage(region, spec, type);
  const interfaces = interfacesOf(spec);
  const subnet = findSubnet(region, spec, interfaces);
  checkUsage(type, lifecycle);
  checkInterfaces(region, { type, subnet, interfaces });
  checkProfile(region, spec);
  checkVolumes(spec, image);
  checkCpuOptions(spec, type);
  const placementGroup = findPlacementGroup(region, spec, type);
  const reservation = findReservation(region, spec, lifecycle);
  checkOffered(region, type, subnet);
  return { spec, lifecycle, type, image, subnet, interfaces, placementGroup, reservation };
}

function findType({ catalogue }: Ec2Region, { InstanceType }: RequestLaunchTemplateData): InstanceTypeInfo {
  if (InstanceType === undefined) throw new LaunchRefused('MissingParameter', 'No instance type is specified.');
  const type = catalogue.find(InstanceType);
  if (type !== undefined) return type;
  throw new LaunchRefused('InvalidParameterValue', `Invalid value '${InstanceType}' for InstanceType.`);
}

function findImage({ images }: Ec2Region, { ImageId }: RequestLaunchTemplateData, type: InstanceTypeInfo): Image {
  if (ImageId === undefined)
    throw new LaunchRefused('MissingParameter', 'The request must contain the parameter ImageId');
  if (!ImageId.startsWith('ami-')) {
    throw new LaunchRefused('InvalidAMIID.Malformed', `Invalid id: "${ImageId}" (expecting "ami-...")`);
  }
  const image = images.get(ImageId);
  if (image === undefined || image.state === 'deregistered') {
    throw new LaunchRefused('InvalidAMIID.NotFound', `The image id '[${ImageId}]' does not exist`);
  }
  if (image.state !== 'available') {
    throw new LaunchRefused('InvalidAMIID.Unavailable', `The image ID '${ImageId}' is not available`);
  }
  const architectures = type.ProcessorInfo?.SupportedArchitectures ?? [];
  if (architectures.includes(image.architecture)) return image;
  throw new LaunchRefused(
    'InvalidParameterValue',
    `The architecture '${architectures.join(',')}' of the specified instance type does not match the architecture ` +
      `'${image.architecture}' of the specified AMI. Specify an instance type and an AMI that have matching ` +
      'architectures, and try again.',
  );
}

/** Without any, EC2 makes one with the groups of the instance. */
function interfacesOf({ NetworkInterfaces, SecurityGroupIds }: RequestLaunchTemplateData): readonly InterfaceRequest[] {
  return NetworkInterfaces?.length ? NetworkInterfaces : [{ DeviceIndex: 0, Groups: SecurityGroupIds }];
}

function findSubnet(
  region: Ec2Region,
  { Placement }: RequestLaunchTemplateData,
  interfaces: readonly InterfaceRequest[],
): Subnet {
  const zone = Placement?.AvailabilityZone;
  const id = interfaces.find(({ SubnetId }) => SubnetId !== undefined)?.SubnetId;
  const subnet = id === undefined ? defaultSubnet(region, zone) : region.subnets.get(id);
  if (subnet === undefined) {
    if (id !== undefined) throw new LaunchRefused('InvalidSubnetID.NotFound', `The subnet ID '${id}' does not exist`);
    throw new LaunchRefused('MissingInput', 'No subnets found for the default VPC. Please specify a subnet.');
  }
  if (zone === undefined || zone === subnet.zone.name) return subnet;
  throw new LaunchRefused(
    'InvalidParameterCombination',
    `The availability zone '${zone}' does not match that of the subnet '${subnet.id}'`,
  );
}

function defaultSubnet({ subnets }: Ec2Region, zone: string | undefined): Subnet | undefined {
  return [...subnets.values()].find((one) => one.isDefaultForZone && (zone === undefined || one.zone.name === zone));
}

function checkOffered({ catalogue }: Ec2Region, type: InstanceTypeInfo, { zone }: Subnet): void {
  const InstanceType = type.InstanceType!;
  if (catalogue.isOffered(InstanceType, zone.name)) return;
  throw new LaunchRefused(
    'Unsupported',
    `Your requested instance type (${InstanceType}) is not supported in your requested Availability Zone ` +
      `(${zone.name}). Please retry your request by not specifying an Availability Zone or choosing ` +
      `${catalogue.zonesOfType(InstanceType).join(', ')}.`,
  );
}

function checkUsage({ InstanceType, SupportedUsageClasses = [] }: InstanceTypeInfo, lifecycle: Lifecycle): void {
  const isBlock = lifecycle === 'capacity-block';
  const usage = lifecycle === 'spot' || isBlock ? lifecycle : 'on-demand';
  // The figures do not name capacity blocks for every type that has them.
  if (isBlock || SupportedUsageClasses.includes(usage)) return;
  throw new LaunchRefused('UnsupportedOperation', `The instance type ${InstanceType} cannot be bought as ${usage}.`);
}

interface InterfaceCheck {
  readonly type: InstanceTypeInfo;
  readonly subnet: Subnet;
  readonly interfaces: readonly InterfaceRequest[];
}

function checkInterfaces(region: Ec2Region, { type, subnet, interfaces }: InterfaceCheck): void {
  for (const { Groups = [] } of interfaces) for (const id of Groups) checkGroup(region, id, subnet);
  const { NetworkCards = [], EfaInfo } = type.NetworkInfo ?? {};
  for (const { NetworkCardIndex, MaximumNetworkInterfaces = 0 } of NetworkCards) {
    const count = interfaces.filter((one) => (one.NetworkCardIndex ?? 0) === NetworkCardIndex).length;
    if (count > MaximumNetworkInterfaces) throw tooManyInterfaces(type, count);
  }
  const efa = interfaces.filter(({ InterfaceType }) => InterfaceType?.startsWith('efa')).length;
  const isCardMissing = interfaces.some((one) => (one.NetworkCardIndex ?? 0) >= Math.max(1, NetworkCards.length));
  checkIpv6(subnet, interfaces);
  if (efa > (EfaInfo?.MaximumEfaInterfaces ?? 0) || isCardMissing) throw tooManyInterfaces(type, interfaces.length);
}

function checkIpv6(subnet: Subnet, interfaces: readonly InterfaceRequest[]): void {
  const isAsked = interfaces.some(
    (one) => (one.Ipv6AddressCount ?? 0) > 0 || (one.Ipv6PrefixCount ?? 0) > 0 || one.PrimaryIpv6 === true,
  );
  if (!isAsked || subnet.ipv6Cidr !== undefined) return;
  const message = `The subnet '${subnet.id}' does not have an IPv6 CIDR block associated with it.`;
  throw new LaunchRefused('InvalidParameterValue', message);
}

function tooManyInterfaces({ InstanceType }: InstanceTypeInfo, count: number): LaunchRefused {
  return new LaunchRefused('AttachmentLimitExceeded', `Interface count ${count} exceeds the limit for ${InstanceType}`);
}

function checkGroup({ securityGroups }: Ec2Region, id: string, subnet: Subnet): void {
  const group = securityGroups.get(id);
  if (group === undefined)
    throw new LaunchRefused('InvalidGroup.NotFound', `The security group '${id}' does not exist`);
  if (group.vpcId === subnet.vpcId) return;
  throw new LaunchRefused(
    'InvalidParameter',
    `Security group ${id} and subnet ${subnet.id} belong to different networks.`,
  );
}

function checkProfile(region: Ec2Region, { IamInstanceProfile }: RequestLaunchTemplateData): void {
  const { Name, Arn } = IamInstanceProfile ?? {};
  const name = Name ?? Arn?.split('/').at(-1);
  if (name === undefined || region.isInstanceProfile(name)) return;
  const [parameter, value] = Name === undefined ? ['arn', Arn] : ['name', Name];
  throw new LaunchRefused(
    'InvalidParameterValue',
    `Value (${value}) for parameter iamInstanceProfile.${parameter} is invalid. Invalid IAM Instance Profile ${parameter}`,
  );
}

function checkVolumes({ BlockDeviceMappings = [] }: RequestLaunchTemplateData, { rootDevice }: Image): void {
  const size = BlockDeviceMappings.find(({ DeviceName }) => DeviceName === rootDevice.name)?.Ebs?.VolumeSize;
  if (size === undefined || size >= rootDevice.sizeGib) return;
  throw new LaunchRefused(
    'InvalidBlockDeviceMapping',
    `Volume of size ${size}GB is smaller than the snapshot of the image, expect size >= ${rootDevice.sizeGib}GB`,
  );
}

function checkCpuOptions(
  { CpuOptions }: RequestLaunchTemplateData,
  { InstanceType, ProcessorInfo }: InstanceTypeInfo,
): void {
  if (CpuOptions?.NestedVirtualization !== 'enabled') return;
  if (ProcessorInfo?.SupportedFeatures?.includes('nested-virtualization') === true) return;
  throw new LaunchRefused(
    'InvalidParameterCombination',
    `Nested virtualization is not supported by the instance type ${InstanceType}.`,
  );
}

function findPlacementGroup(
  { placementGroups }: Ec2Region,
  { Placement }: RequestLaunchTemplateData,
  type: InstanceTypeInfo,
): PlacementGroup | undefined {
  const { GroupId, GroupName, PartitionNumber } = Placement ?? {};
  if (!GroupId && !GroupName) return undefined;
  const group = [...placementGroups.values()].find(({ id, name }) => id === GroupId || name === GroupName);
  if (group === undefined) {
    throw new LaunchRefused(
      'InvalidPlacementGroup.Unknown',
      `The Placement Group '${GroupId ?? GroupName}' is unknown.`,
    );
  }
  if (type.PlacementGroupInfo?.SupportedStrategies?.includes(group.strategy) !== true) {
    throw new LaunchRefused(
      'InvalidParameterCombination',
      `Placement groups with the strategy '${group.strategy}' are not supported by the '${type.InstanceType}' instance type.`,
    );
  }
  if (PartitionNumber !== undefined && PartitionNumber > group.partitions) {
    throw new LaunchRefused('InvalidParameterValue', `The placement group has no partition ${PartitionNumber}.`);
  }
  return group;
}

function findReservation(
  region: Ec2Region,
  spec: RequestLaunchTemplateData,
  lifecycle: Lifecycle,
): CapacityReservation | undefined {
  const id = spec.CapacityReservationSpecification?.CapacityReservationTarget?.CapacityReservationId;
  const market = spec.InstanceMarketOptions?.MarketType;
  if (RESERVED.has(lifecycle) && (id === undefined || market !== lifecycle)) {
    throw new LaunchRefused(
      'InvalidParameterCombination',
      `A launch as ${lifecycle} needs that market type and the id of a capacity reservation.`,
    );
  }
  if (id === undefined) return undefined;
  const reservation = region.reservations.get(id);
  if (reservation === undefined) {
    const message = `The capacity reservation with id '${id}' does not exist`;
    throw new LaunchRefused('InvalidCapacityReservationId.NotFound', message);
  }
  if (lifecycleIn(reservation) === lifecycle) return reservation;
  const message = `The capacity reservation '${id}' cannot be used by a launch as ${lifecycle}.`;
  throw new LaunchRefused('InvalidParameterCombination', message);
}

/** What is bought in one of these ways is in a reservation of its kind. */
const RESERVED: ReadonlySet<Lifecycle> = new Set(['capacity-block', 'interruptible-capacity-reservation']);

function lifecycleIn({ type, isInterruptible }: CapacityReservation): Lifecycle {
  if (type === 'capacity-block') return type;
  return isInterruptible ? 'interruptible-capacity-reservation' : 'on-demand';
}
