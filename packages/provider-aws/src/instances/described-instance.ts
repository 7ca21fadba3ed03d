import type { Instance as Ec2Instance, InstanceNetworkInterface } from '@aws-sdk/client-ec2';
import type { Instance, InstanceReservation } from './instance.ts';

export interface DescriptionSettings {
  /** Whether capacity reservations are used. An instance may have slipped into an open one without anybody asking. */
  readonly reservedCapacity: boolean;
}

const EFA_INTERFACES: ReadonlySet<string> = new Set(['efa', 'efa-only']);

/** An instance as EC2 describes it (spec 07 §17). What EC2 leaves out is empty. */
export function instanceOf(described: Ec2Instance, { reservedCapacity }: DescriptionSettings): Instance {
  const { Placement: placement } = described;
  const reservation = reservedCapacity ? reservationOf(described) : undefined;
  return {
    id: described.InstanceId ?? '',
    launchTime: described.LaunchTime ?? new Date(0),
    state: described.State?.Name ?? '',
    imageId: described.ImageId ?? '',
    type: described.InstanceType ?? '',
    zone: placement?.AvailabilityZone ?? '',
    zoneId: placement?.AvailabilityZoneId ?? '',
    capacityType: capacityTypeOf(described, reservation),
    securityGroupIds: (described.SecurityGroups ?? []).map(({ GroupId }) => GroupId ?? ''),
    subnetId: described.SubnetId ?? '',
    tags: Object.fromEntries((described.Tags ?? []).map(({ Key, Value }) => [Key ?? '', Value ?? ''])),
    efaCount: (described.NetworkInterfaces ?? []).filter(isEfa).length,
    tenancy: placement?.Tenancy || 'default',
    ...(reservation && { reservation }),
    ...(placement?.PartitionNumber && { partition: placement.PartitionNumber }), // EC2 counts partitions from 1
  };
}

function isEfa({ InterfaceType }: InstanceNetworkInterface): boolean {
  return EFA_INTERFACES.has(InterfaceType ?? '');
}

function capacityTypeOf(
  { SpotInstanceRequestId }: Ec2Instance,
  reservation: InstanceReservation | undefined,
): Instance['capacityType'] {
  if (SpotInstanceRequestId !== undefined) return 'spot';
  return reservation === undefined ? 'on-demand' : 'reserved';
}

/** The reservation that the launch asked for. Once it has ended, EC2 no longer names it and the instance goes on. */
function reservationOf(described: Ec2Instance): InstanceReservation | undefined {
  const {
    CapacityReservationId: id,
    CapacityReservationSpecification,
    InstanceLifecycle,
    SpotInstanceRequestId,
  } = described;
  const preference = CapacityReservationSpecification?.CapacityReservationPreference;
  if (!id || preference !== 'capacity-reservations-only' || SpotInstanceRequestId !== undefined) return undefined;
  return {
    id,
    type: InstanceLifecycle === 'capacity-block' ? 'capacity-block' : 'default',
    interruptible: InstanceLifecycle === 'interruptible-capacity-reservation',
  };
}
