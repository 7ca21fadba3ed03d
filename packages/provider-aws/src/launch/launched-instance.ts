import type { CreateFleetInstance } from '@aws-sdk/client-ec2';
import type { Instant } from '@karpenter-ts/runtime';
import { EFA_RESOURCE } from '../instances/type-data.ts';
import type { Instance } from '../instances/instance.ts';
import type { StatusSubnet } from '../network/subnet-address-book.ts';
import { findReservationOffering } from './fleet-errors.ts';
import type { Launch } from './launcher.ts';
import { reservationKindOf } from './matcher.ts';
import { amountOf } from './template-groups.ts';

/** Where EC2 has put an instance, and what of. */
export interface InstancePlace {
  readonly type: string;
  readonly zone: string;
  readonly subnetId: string;
  readonly imageId: string;
}

/** What the answer to a request for a fleet tells of an instance; undefined if it does not tell where that is. */
export function findPlace(
  { InstanceType, LaunchTemplateAndOverrides }: CreateFleetInstance,
  subnets: ReadonlyMap<string, StatusSubnet>,
): InstancePlace | undefined {
  const overrides = LaunchTemplateAndOverrides?.Overrides ?? {};
  const { SubnetId = '', ImageId = '' } = overrides;
  const type = InstanceType ?? overrides.InstanceType;
  const zone = overrides.AvailabilityZone ?? [...subnets.values()].find(({ id }) => id === SubnetId)?.zone;
  if (!type || !zone) return undefined;
  return { type, zone, subnetId: SubnetId, imageId: ImageId };
}

/** An instance that has just been launched: what EC2 has said, and what was asked of it. */
export function launchedInstance(
  id: string,
  { type, zone, subnetId, imageId }: InstancePlace,
  launch: Launch & { readonly subnets: ReadonlyMap<string, StatusSubnet>; readonly now: Instant },
): Instance {
  const { terms, tags } = launch;
  return {
    id,
    launchTime: new Date(launch.now),
    state: 'pending',
    imageId,
    type,
    zone,
    zoneId: launch.subnets.get(zone)?.zoneID ?? '',
    capacityType: terms.capacityType,
    securityGroupIds: (launch.nodeClass.status?.securityGroups ?? []).map((group) => group.id),
    subnetId,
    tags,
    efaCount: efaCount(type, launch),
    reservation: terms.capacityType === 'reserved' ? reservationOf({ type, zone }, launch) : undefined,
    tenancy: terms.tenancy,
    partition: undefined, // EC2 does not tell
  };
}

function reservationOf(
  { type, zone }: Pick<InstancePlace, 'type' | 'zone'>,
  { types }: Launch,
): Instance['reservation'] {
  const offering = findReservationOffering(types, { instanceType: type, zone });
  return offering?.reservation && { id: offering.reservation.id, ...reservationKindOf(offering) };
}

/** Interfaces for EFA are made if a pod asks for them, or if the NodeClass says which interfaces there are. */
function efaCount(typeName: string, { nodeClass, demand, types }: Launch): number {
  const type = types.find(({ name }) => name === typeName);
  const isAsked = EFA_RESOURCE in demand.requests;
  if (type === undefined || (!isAsked && nodeClass.spec?.networkInterfaces === undefined)) return 0;
  return amountOf(type, EFA_RESOURCE);
}
