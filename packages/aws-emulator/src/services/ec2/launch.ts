import type { LaunchTemplateInstanceNetworkInterfaceSpecificationRequest as InterfaceRequest } from '@aws-sdk/client-ec2';
import type { Pool } from './capacity.ts';
import type { MutableInstance, NetworkInterface } from './instance.ts';
import { isAlive } from './instance.ts';
import { scheduleSpotInterruption } from './interruptions.ts';
import type { LaunchPlan } from './launch-plan.ts';
import { SPREAD_LIMIT } from './placement-groups.ts';
import type { Refusal } from './refusals.ts';
import type { Ec2Region } from './region.ts';
import { availableIn, type CapacityReservation } from './reservations.ts';
import { specifiedTags, type Tags } from './tags.ts';

/** What a launch has besides its plan. */
export interface LaunchContext {
  readonly tags: ReadonlyMap<string, string>;
  readonly fleetId?: string | undefined;
  readonly templateId?: string | undefined;
  readonly clientToken?: string | undefined;
}

export interface LaunchOutcome {
  readonly instances: readonly MutableInstance[];
  /** Why there are not as many as were asked for. */
  readonly refusal: Refusal | undefined;
}

/** How many instances something allows, and what EC2 says to more. */
interface Limit {
  readonly most: number;
  readonly refusal: () => Refusal;
}

/** Launches as many of the instances as there is room for, and none if that are fewer than `atLeast`. */
export function launch(
  region: Ec2Region,
  plan: LaunchPlan,
  { count, atLeast, context }: { readonly count: number; readonly atLeast: number; readonly context: LaunchContext },
): LaunchOutcome {
  const reservation = plan.reservation ?? findOpenReservation(region, plan);
  const limits = limitsOf(region, plan, reservation);
  const tightest = limits.reduce((a, b) => (b.most < a.most ? b : a));
  const instances: MutableInstance[] = [];
  if (tightest.most >= atLeast) {
    const about = { ...context, reservation, reservationId: region.newId('r') };
    for (let i = 0; i < Math.min(count, tightest.most); i++) instances.push(start(region, plan, about));
  }
  return { instances, refusal: instances.length < count ? tightest.refusal() : undefined };
}

/** A reservation that takes whatever fits it, unless the launch wants none. */
function findOpenReservation(
  region: Ec2Region,
  { spec, lifecycle, type, subnet }: LaunchPlan,
): CapacityReservation | undefined {
  const preference = spec.CapacityReservationSpecification?.CapacityReservationPreference ?? 'open';
  if (lifecycle !== 'on-demand' || preference === 'none') return undefined;
  return [...region.reservations.values()].find(
    (one) =>
      one.matchCriteria === 'open' &&
      one.type === 'default' &&
      !one.isInterruptible &&
      one.instanceType === type.InstanceType &&
      one.zone === subnet.zone.name &&
      availableIn(one) > 0,
  );
}

function limitsOf(region: Ec2Region, plan: LaunchPlan, reservation: CapacityReservation | undefined): readonly Limit[] {
  const { capacity } = region;
  const { lifecycle, type, subnet } = plan;
  const addresses = addressesNeeded(plan);
  const refusal = capacity.findRefusal(poolOf(plan));
  return [
    { most: refusal === undefined ? Infinity : 0, refusal: () => refusal! },
    spotRoleLimit(region, plan),
    { most: capacity.leftInQuota(lifecycle, type), refusal: () => capacity.quotaRefusal(lifecycle, type) },
    groupLimit(region, plan),
    reservation === undefined ? poolLimit(region, plan) : reservationLimit(reservation, plan),
    { most: addresses === 0 ? Infinity : Math.floor(subnet.free / addresses), refusal: () => subnet.outOfAddresses() },
  ];
}

function poolOf({ type, subnet, lifecycle }: LaunchPlan): Pool {
  return { instanceType: type.InstanceType!, zone: subnet.zone.name, lifecycle };
}

function spotRoleLimit({ hasSpotRole }: Ec2Region, { lifecycle }: LaunchPlan): Limit {
  return {
    most: lifecycle !== 'spot' || hasSpotRole ? Infinity : 0,
    refusal: () => ({
      code: 'AuthFailure.ServiceLinkedRoleCreationNotPermitted',
      message:
        'The provided credentials do not have permission to create the service-linked role for EC2 Spot Instances.',
    }),
  };
}

function groupLimit(region: Ec2Region, { placementGroup, subnet }: LaunchPlan): Limit {
  const refusal = (): Refusal => ({
    code: 'InsufficientInstanceCapacity',
    message:
      "You've reached the limit of instances in this spread placement group. A spread placement group can have up to " +
      'seven instances per Availability Zone.',
  });
  if (placementGroup?.strategy !== 'spread') return { most: Infinity, refusal };
  const inZone = [...region.instances.all()].filter(
    (one) => isAlive(one) && one.placementGroupId === placementGroup.id && one.zone.name === subnet.zone.name,
  );
  return { most: SPREAD_LIMIT - inZone.length, refusal };
}

/** Outside reservations, unless the launch wants to be in one. */
function poolLimit(region: Ec2Region, plan: LaunchPlan): Limit {
  const preference = plan.spec.CapacityReservationSpecification?.CapacityReservationPreference;
  if (preference === 'capacity-reservations-only') return { most: 0, refusal: () => NOT_RESERVED };
  const pool = poolOf(plan);
  const isShort = region.market.depthAt(pool.instanceType, pool.zone, region.now()) < region.shortage;
  return { most: isShort ? 0 : region.capacity.leftIn(pool), refusal: () => insufficientCapacity(region, plan) };
}

function reservationLimit(reservation: CapacityReservation, { type, subnet }: LaunchPlan): Limit {
  const fits = reservation.instanceType === type.InstanceType && reservation.zone === subnet.zone.name;
  return { most: fits ? availableIn(reservation) : 0, refusal: () => NOT_RESERVED };
}

const NOT_RESERVED: Refusal = {
  code: 'ReservationCapacityExceeded',
  message: 'The requested reservation does not have sufficient compatible and available capacity for this request.',
};

function insufficientCapacity({ catalogue }: Ec2Region, { lifecycle, type, subnet }: LaunchPlan): Refusal {
  const code = 'InsufficientInstanceCapacity';
  if (lifecycle === 'spot') {
    return { code, message: 'There is no Spot capacity available that matches your request.' };
  }
  const name = type.InstanceType!;
  const others = catalogue.zonesOfType(name).filter((zone) => zone !== subnet.zone.name);
  return {
    code,
    message:
      `We currently do not have sufficient ${name} capacity in the Availability Zone you requested ` +
      `(${subnet.zone.name}). Our system will be working on provisioning additional capacity. You can currently get ` +
      `${name} capacity by not specifying an Availability Zone in your request or choosing ${others.join(', ')}.`,
  };
}

const ADDRESSES_OF_PREFIX = 16;

function addressesNeeded({ interfaces }: LaunchPlan): number {
  return interfaces.reduce((sum, one) => sum + addressCount(one) + prefixCount(one) * ADDRESSES_OF_PREFIX, 0);
}

/** An interface for EFA only has no address. */
function addressCount({ InterfaceType, SecondaryPrivateIpAddressCount = 0 }: InterfaceRequest): number {
  return InterfaceType === 'efa-only' ? 0 : 1 + SecondaryPrivateIpAddressCount;
}

function prefixCount({ Ipv4PrefixCount = 0 }: InterfaceRequest): number {
  return Ipv4PrefixCount;
}

interface StartContext extends LaunchContext {
  readonly reservationId: string;
  /** The capacity reservation that the instance is in. */
  readonly reservation: CapacityReservation | undefined;
}

function start(region: Ec2Region, plan: LaunchPlan, about: StartContext): MutableInstance {
  const { subnet, lifecycle, type } = plan;
  const { reservation } = about;
  const id = region.newId('i');
  const taken = subnet.take(addressesNeeded(plan));
  const instance = instanceOf(region, plan, { ...about, id, addresses: [...taken] });
  const bought = { pool: reservation === undefined ? poolOf(plan) : undefined, lifecycle, type };
  region.capacity.take(bought);
  reservation?.instances.add(id);
  const cancelInterruption = scheduleSpotInterruption(region, instance);
  region.instances.add(instance, () => {
    cancelInterruption();
    subnet.giveBack(taken);
    region.capacity.giveBack(bought);
    reservation?.instances.delete(id);
  });
  return instance;
}

interface NewInstance extends StartContext {
  readonly id: string;
  /** The interfaces take theirs from it. */
  readonly addresses: string[];
}

function instanceOf(region: Ec2Region, plan: LaunchPlan, about: NewInstance): MutableInstance {
  const { spec, lifecycle, type, image, subnet, placementGroup } = plan;
  const now = region.now();
  const [least, most] = region.timing.visible;
  const networkInterfaces = plan.interfaces.map((one) => interfaceOf(region, plan, { request: one, about }));
  return {
    place: region.place,
    id: about.id,
    serial: region.nextSerial(),
    reservationId: about.reservationId,
    fleetId: about.fleetId,
    launchedAt: now,
    visibleAt: now + least + region.deps.random.next() * (most - least),
    instanceType: type.InstanceType!,
    type,
    imageId: image.id,
    imageName: image.name,
    rootDeviceName: image.rootDevice.name,
    volumes: volumesOf(plan),
    architecture: image.architecture,
    platform: image.platform,
    zone: subnet.zone,
    vpcId: subnet.vpcId,
    subnetId: subnet.id,
    lifecycle,
    spotRequestId: lifecycle === 'spot' ? `sir-${region.deps.random.hex(8)}` : undefined,
    privateDnsName: dnsNameOf(networkInterfaces[0]?.addresses[0] ?? '', region.place.region),
    networkInterfaces,
    reservedIn: about.reservation?.id,
    placementGroupId: placementGroup?.id,
    partition: placementGroup?.strategy === 'partition' ? partitionFor(region, plan) : undefined,
    userData: spec.UserData,
    spec,
    clientToken: about.clientToken,
    tags: instanceTags(plan, about),
    state: 'pending',
    stateReason: undefined,
    impairedSince: new Map(),
    events: [],
  };
}

/** Those of the image with the sizes that the launch gives them, and those that the launch adds. */
function volumesOf({ spec, image }: LaunchPlan): { deviceName: string; sizeGiB: number }[] {
  const sizes = new Map([[image.rootDevice.name, image.rootDevice.sizeGib]]);
  for (const { DeviceName, Ebs } of spec.BlockDeviceMappings ?? []) {
    if (DeviceName !== undefined && Ebs !== undefined)
      sizes.set(DeviceName, Ebs.VolumeSize ?? sizes.get(DeviceName) ?? 8);
  }
  return [...sizes].map(([deviceName, sizeGiB]) => ({ deviceName, sizeGiB }));
}

/** EC2 adds some of its own. */
function instanceTags({ spec }: LaunchPlan, { tags, fleetId, templateId }: LaunchContext): Tags {
  const all = new Map([...specifiedTags(spec.TagSpecifications, 'instance'), ...tags]);
  if (fleetId !== undefined) all.set('aws:ec2:fleet-id', fleetId);
  if (templateId !== undefined) {
    all.set('aws:ec2launchtemplate:id', templateId);
    all.set('aws:ec2launchtemplate:version', '1');
  }
  return all;
}

/** EC2 spreads the instances that name none over the partitions. */
function partitionFor(region: Ec2Region, { spec, placementGroup }: LaunchPlan): number {
  if (spec.Placement?.PartitionNumber) return spec.Placement.PartitionNumber;
  const counts = Array.from({ length: placementGroup!.partitions }, () => 0);
  for (const one of region.instances.all()) {
    if (isAlive(one) && one.placementGroupId === placementGroup!.id) counts[one.partition! - 1]!++;
  }
  return counts.indexOf(Math.min(...counts)) + 1;
}

function interfaceOf(
  region: Ec2Region,
  { subnet }: LaunchPlan,
  { request, about }: { readonly request: InterfaceRequest; readonly about: NewInstance },
): NetworkInterface {
  const addresses = about.addresses.splice(0, addressCount(request));
  about.addresses.splice(0, prefixCount(request) * ADDRESSES_OF_PREFIX);
  const ipv6 = request.Ipv6AddressCount ?? (request.PrimaryIpv6 === true ? 1 : 0);
  const groups = request.Groups?.length ? request.Groups : [region.defaultGroupOf(subnet.vpcId)];
  return {
    id: region.newId('eni'),
    cardIndex: request.NetworkCardIndex ?? 0,
    deviceIndex: request.DeviceIndex ?? 0,
    type: (request.InterfaceType as NetworkInterface['type'] | undefined) ?? 'interface',
    securityGroupIds: groups,
    addresses,
    prefixes: prefixCount(request),
    ipv6Addresses: Array.from({ length: ipv6 }, () => ipv6Address(region, subnet.ipv6Cidr!)),
  };
}

function ipv6Address({ deps }: Ec2Region, cidr: string): string {
  const network = cidr.replace(/::\/\d+$/, '');
  return `${network}:${Array.from({ length: 4 }, () => deps.random.hex(4)).join(':')}`;
}

function dnsNameOf(address: string, region: string): string {
  const domain = region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`;
  return `ip-${address.replaceAll('.', '-')}.${domain}`;
}
