import type {
  DescribeInstancesRequest,
  DescribeInstancesResult,
  Instance,
  InstanceNetworkInterface,
  Placement,
  Reservation,
  TerminateInstancesRequest,
  TerminateInstancesResult,
} from '@aws-sdk/client-ec2';
import { partitionOf } from '../../state/place.ts';
import { ApiError } from '../../wire/api-error.ts';
import type { Attributes } from './filters.ts';
import { type Ec2Instance, type MutableInstance, type NetworkInterface, stateOf } from './instance.ts';
import { BY_USER } from './instances.ts';
import { listPage, refusePagingThroughIds } from './listing.ts';
import { missingIds, refuseDryRun } from './refusals.ts';
import type { Ec2Region } from './region.ts';
import { type Tags, tagSet } from './tags.ts';

const INSTANCES: Attributes<Ec2Instance> = {
  architecture: ({ architecture }) => architecture,
  'availability-zone': ({ zone }) => zone.name,
  'availability-zone-id': ({ zone }) => zone.id,
  'capacity-reservation-id': ({ reservedIn }) => reservedIn,
  'client-token': ({ clientToken }) => clientToken,
  'image-id': ({ imageId }) => imageId,
  'instance-id': ({ id }) => id,
  'instance-lifecycle': ({ lifecycle }) => (lifecycle === 'on-demand' ? undefined : lifecycle),
  'instance-state-code': ({ state }) => stateOf(state).Code,
  'instance-state-name': ({ state }) => state,
  'instance-type': ({ instanceType }) => instanceType,
  'instance.group-id': ({ networkInterfaces }) => networkInterfaces[0]?.securityGroupIds ?? [],
  'placement-partition-number': ({ partition }) => partition,
  'private-dns-name': ({ privateDnsName }) => privateDnsName,
  'private-ip-address': ({ networkInterfaces }) => networkInterfaces[0]?.addresses[0],
  'reservation-id': ({ reservationId }) => reservationId,
  'spot-instance-request-id': ({ spotRequestId }) => spotRequestId,
  'subnet-id': ({ subnetId }) => subnetId,
  tenancy: ({ spec }) => spec.Placement?.Tenancy ?? 'default',
  'vpc-id': ({ vpcId }) => vpcId,
};

export function describeInstances(region: Ec2Region, input: DescribeInstancesRequest): DescribeInstancesResult {
  const ids = input.InstanceIds ?? [];
  refusePagingThroughIds(ids, input, 'instancesSet');
  const listing = {
    attributes: INSTANCES,
    tagsOf: ({ tags }: Ec2Instance): Tags => tags,
    orderOf: ({ serial }: Ec2Instance) => serial,
    pageSize: { least: 5, most: 1000 },
  };
  const asked = ids.length > 0 ? getInstances(region, ids) : region.instances.visible();
  const { items, ...next } = listPage(listing, asked, input);
  return { Reservations: reservationsOf(region, items), ...next };
}

/** Throws an ApiError for ids that EC2 does not know, or does not know yet. */
export function getInstances({ instances }: Ec2Region, ids: readonly string[]): readonly MutableInstance[] {
  for (const id of ids) {
    if (!/^i-[0-9a-z]+$/.test(id)) throw new ApiError('InvalidInstanceID.Malformed', `Invalid id: "${id}"`);
  }
  const unknown = ids.filter((id) => instances.find(id) === undefined);
  if (unknown.length > 0) throw missingIds('InvalidInstanceID.NotFound', 'instance ID', unknown);
  return [...new Set(ids)].map((id) => instances.find(id)!);
}

/** All or none. What is on its way out already stays so. */
export function terminateInstances(region: Ec2Region, input: TerminateInstancesRequest): TerminateInstancesResult {
  const instances = getInstances(region, input.InstanceIds ?? []);
  refuseDryRun(input);
  return {
    TerminatingInstances: instances.map((instance) => {
      const PreviousState = stateOf(instance.state);
      region.instances.terminate(instance, BY_USER);
      return { InstanceId: instance.id, PreviousState, CurrentState: stateOf(instance.state) };
    }),
  };
}

function reservationsOf(region: Ec2Region, instances: readonly Ec2Instance[]): Reservation[] {
  const byReservation = Map.groupBy(instances, ({ reservationId }) => reservationId);
  return [...byReservation].map(([ReservationId, members]) => ({
    ReservationId,
    OwnerId: region.place.account,
    Groups: [],
    Instances: members.map((one) => described(region, one)),
  }));
}

export function described(region: Ec2Region, instance: Ec2Instance): Instance {
  const { spec, lifecycle, launchedAt, stateReason } = instance;
  const [primary] = instance.networkInterfaces;
  const isGone = instance.state === 'terminated';
  return {
    InstanceId: instance.id,
    ImageId: instance.imageId,
    InstanceType: instance.type.InstanceType,
    State: stateOf(instance.state),
    StateReason: stateReason && { Code: stateReason.code, Message: stateReason.message },
    StateTransitionReason: stateReason?.message ?? '',
    LaunchTime: new Date(launchedAt),
    Placement: placementOf(region, instance),
    Architecture: instance.architecture,
    Platform: instance.platform === 'windows' ? ('windows' as 'Windows') : undefined, // as EC2 writes it
    InstanceLifecycle: lifecycle === 'on-demand' ? undefined : lifecycle,
    SpotInstanceRequestId: instance.spotRequestId,
    CapacityReservationId: instance.reservedIn,
    CapacityReservationSpecification: reservationSpecification(instance),
    ClientToken: instance.clientToken ?? '',
    IamInstanceProfile: profileOf(instance),
    Monitoring: { State: spec.Monitoring?.Enabled === true ? 'enabled' : 'disabled' },
    MetadataOptions: { State: 'applied', ...spec.MetadataOptions },
    EnclaveOptions: { Enabled: spec.EnclaveOptions?.Enabled ?? false },
    SecurityGroups: isGone ? [] : groupsOf(region, primary),
    SubnetId: isGone ? undefined : instance.subnetId,
    VpcId: isGone ? undefined : instance.vpcId,
    PrivateIpAddress: isGone ? undefined : primary?.addresses[0],
    PrivateDnsName: isGone ? '' : instance.privateDnsName,
    PublicDnsName: '',
    NetworkInterfaces: isGone ? [] : instance.networkInterfaces.map((one) => interfaceOf(region, instance, one)),
    EbsOptimized: spec.EbsOptimized ?? false,
    EnaSupport: true,
    Hypervisor: 'xen',
    RootDeviceType: 'ebs',
    RootDeviceName: instance.rootDeviceName,
    VirtualizationType: 'hvm',
    AmiLaunchIndex: 0,
    SourceDestCheck: true,
    Tags: tagSet(instance.tags),
  };
}

function placementOf({ placementGroups }: Ec2Region, instance: Ec2Instance): Placement {
  const { zone, placementGroupId, partition, spec } = instance;
  const group = placementGroupId === undefined ? undefined : placementGroups.get(placementGroupId);
  return {
    AvailabilityZone: zone.name,
    AvailabilityZoneId: zone.id,
    Tenancy: spec.Placement?.Tenancy ?? 'default',
    GroupName: group?.name ?? '',
    GroupId: placementGroupId,
    PartitionNumber: partition,
  };
}

function reservationSpecification({ spec }: Ec2Instance): Instance['CapacityReservationSpecification'] {
  const { CapacityReservationPreference, CapacityReservationTarget } = spec.CapacityReservationSpecification ?? {};
  return {
    CapacityReservationPreference: CapacityReservationPreference ?? 'open',
    ...(CapacityReservationTarget && { CapacityReservationTarget }),
  };
}

function profileOf({ spec, place }: Ec2Instance): Instance['IamInstanceProfile'] {
  const { Arn, Name } = spec.IamInstanceProfile ?? {};
  if (Arn === undefined && Name === undefined) return undefined;
  return { Arn: Arn ?? `arn:${partitionOf(place.region)}:iam::${place.account}:instance-profile/${Name}` };
}

function groupsOf(
  { securityGroups }: Ec2Region,
  one: NetworkInterface | undefined,
): { GroupId: string; GroupName: string }[] {
  const ids = one?.securityGroupIds ?? [];
  return ids.map((GroupId) => ({ GroupId, GroupName: securityGroups.get(GroupId)?.name ?? '' }));
}

function interfaceOf(region: Ec2Region, instance: Ec2Instance, one: NetworkInterface): InstanceNetworkInterface {
  const [first] = one.addresses;
  return {
    NetworkInterfaceId: one.id,
    InterfaceType: one.type,
    OwnerId: region.place.account,
    SubnetId: instance.subnetId,
    VpcId: instance.vpcId,
    Status: 'in-use',
    SourceDestCheck: true,
    PrivateIpAddress: first,
    PrivateIpAddresses: one.addresses.map((PrivateIpAddress) => ({
      PrivateIpAddress,
      Primary: PrivateIpAddress === first,
    })),
    Ipv6Addresses: one.ipv6Addresses.map((Ipv6Address, index) => ({ Ipv6Address, IsPrimaryIpv6: index === 0 })),
    Groups: groupsOf(region, one),
    Attachment: {
      AttachTime: new Date(instance.launchedAt),
      DeleteOnTermination: true,
      DeviceIndex: one.deviceIndex,
      NetworkCardIndex: one.cardIndex,
      Status: instance.state === 'pending' ? 'attaching' : 'attached',
    },
  };
}
