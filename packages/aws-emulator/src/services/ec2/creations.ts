import { MINUTE } from '../../clock.ts';
import { hashText } from '../../state/random.ts';
import type { Zone } from './catalogue.ts';
import type { Image } from './images.ts';
import { isAlive } from './instance.ts';
import { type SecurityGroup, Subnet, type Vpc } from './network.ts';
import type { PlacementGroup } from './placement-groups.ts';
import type { Ec2Region } from './region.ts';
import type { CapacityReservation } from './reservations.ts';
import type { Tags } from './tags.ts';

/** Tags as levers take them. */
export type GivenTags = Readonly<Record<string, string>>;

export interface NewVpc {
  readonly cidr?: string;
  readonly isDefault?: boolean;
  readonly tags?: GivenTags;
}

/** A VPC with its `default` security group. */
export function createVpc(region: Ec2Region, { cidr, isDefault = false, tags }: NewVpc): Vpc {
  const vpc: Vpc = {
    id: region.newId('vpc'),
    serial: region.nextSerial(),
    cidr: cidr ?? `10.${region.vpcs.size % 256}.0.0/16`,
    isDefault,
    tags: tagsOf(tags),
  };
  region.vpcs.set(vpc.id, vpc);
  createSecurityGroup(region, { vpcId: vpc.id, name: 'default', description: 'default VPC security group' });
  return vpc;
}

export interface NewSubnet {
  /** Any unless given. */
  readonly id?: string;
  readonly vpcId: string;
  /** By its name. */
  readonly zone: string;
  /** The next 4,096 addresses of the VPC unless given. */
  readonly cidr?: string;
  readonly ipv6Cidr?: string;
  readonly isDefaultForZone?: boolean;
  readonly mapsPublicIps?: boolean;
  readonly tags?: GivenTags;
}

export function createSubnet(region: Ec2Region, given: NewSubnet): Subnet {
  const { vpcId, cidr, ipv6Cidr, isDefaultForZone = false, mapsPublicIps = false, tags } = given;
  const subnet = new Subnet({
    id: given.id ?? region.newId('subnet'),
    serial: region.nextSerial(),
    vpcId,
    zone: getZone(region, given.zone),
    cidr: cidr ?? nextCidr(region, vpcId),
    ipv6Cidr,
    isDefaultForZone,
    mapsPublicIps,
    tags: tagsOf(tags),
  });
  region.subnets.set(subnet.id, subnet);
  return subnet;
}

function getZone({ catalogue }: Ec2Region, name: string): Zone {
  const zone = catalogue.zones.find((one) => one.name === name);
  if (zone === undefined) throw new RangeError(`there is no zone ${name}`);
  return zone;
}

/** Sixteen subnets fill a VPC. */
function nextCidr({ vpcs, subnets }: Ec2Region, vpcId: string): string {
  const vpc = vpcs.get(vpcId);
  if (vpc === undefined) throw new RangeError(`there is no VPC ${vpcId}`);
  const before = [...subnets.values()].filter((one) => one.vpcId === vpcId).length;
  const [first, second] = vpc.cidr.split('.');
  return `${first}.${second}.${(before % 16) * 16}.0/20`;
}

export interface NewSecurityGroup {
  /** Any unless given. */
  readonly id?: string;
  readonly vpcId: string;
  readonly name: string;
  readonly description?: string;
  readonly tags?: GivenTags;
}

export function createSecurityGroup(region: Ec2Region, given: NewSecurityGroup): SecurityGroup {
  const { vpcId, name, description = name, tags } = given;
  const group: SecurityGroup = {
    id: given.id ?? region.newId('sg'),
    serial: region.nextSerial(),
    name,
    description,
    vpcId,
    tags: tagsOf(tags),
  };
  region.securityGroups.set(group.id, group);
  return group;
}

export interface NewImage {
  /** Follows from the name unless given. */
  readonly id?: string;
  readonly name: string;
  readonly description?: string;
  readonly architecture: Image['architecture'];
  readonly platform?: Image['platform'];
  /** `amazon` (unless given), `self`, or an account. */
  readonly owner?: string;
  readonly createdAt?: number;
  readonly deprecatedAt?: number;
  readonly rootDevice?: Image['rootDevice'];
  readonly tags?: GivenTags;
}

/** The account whose EKS images are. */
const AMAZON = '602401143452';

export function createImage(region: Ec2Region, given: NewImage): Image {
  const { name, description = name, architecture, platform = 'linux', owner = 'amazon', tags } = given;
  const image: Image = {
    id:
      given.id ??
      `ami-0${hashText(name).toString(16).padStart(8, '0')}${hashText(`${name} `).toString(16).padStart(8, '0')}`,
    serial: region.nextSerial(),
    name,
    description,
    architecture,
    platform,
    ownerId: { amazon: AMAZON, self: region.place.account }[owner] ?? owner,
    ownerAlias: owner === 'amazon' ? 'amazon' : undefined,
    isPublic: owner !== 'self',
    createdAt: given.createdAt ?? region.now(),
    rootDevice: given.rootDevice ?? { name: platform === 'windows' ? '/dev/sda1' : '/dev/xvda', sizeGib: 2 },
    tags: tagsOf(tags),
    state: 'available',
    deprecatedAt: given.deprecatedAt,
  };
  region.images.set(image.id, image);
  return image;
}

export interface NewPlacementGroup {
  readonly name: string;
  readonly strategy: PlacementGroup['strategy'];
  /** Of a partition group; 7 unless given. */
  readonly partitions?: number;
  readonly spreadLevel?: PlacementGroup['spreadLevel'];
  readonly tags?: GivenTags;
}

export function createPlacementGroup(region: Ec2Region, given: NewPlacementGroup): PlacementGroup {
  const { name, strategy, partitions = 7, spreadLevel = 'rack', tags } = given;
  const group: PlacementGroup = {
    id: region.newId('pg'),
    serial: region.nextSerial(),
    name,
    strategy,
    partitions: strategy === 'partition' ? partitions : 0,
    spreadLevel,
    tags: tagsOf(tags),
    state: 'available',
  };
  region.placementGroups.set(group.id, group);
  return group;
}

export interface NewCapacityReservation {
  /** Any unless given. */
  readonly id?: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly count: number;
  readonly type?: CapacityReservation['type'];
  readonly matchCriteria?: CapacityReservation['matchCriteria'];
  readonly isInterruptible?: boolean;
  readonly tenancy?: CapacityReservation['tenancy'];
  readonly platform?: string;
  /** Of the account unless given. */
  readonly ownerId?: string;
  /** When it ends, in milliseconds since the epoch. Capacity blocks have an end. */
  readonly endsAt?: number;
  readonly tags?: GivenTags;
}

/** EC2 begins to terminate what is left in a capacity block half an hour before its end. */
const BLOCK_CLEARED_BEFORE_END = 30 * MINUTE;

export function createCapacityReservation(region: Ec2Region, given: NewCapacityReservation): CapacityReservation {
  const { instanceType, zone, count, type = 'default', endsAt, tags } = given;
  const reservation: CapacityReservation = {
    id: given.id ?? region.newId('cr'),
    serial: region.nextSerial(),
    ownerId: given.ownerId ?? region.place.account,
    instanceType,
    zone: getZone(region, zone).name,
    platform: given.platform ?? 'Linux/UNIX',
    tenancy: given.tenancy ?? 'default',
    matchCriteria: given.matchCriteria ?? 'targeted',
    type,
    isInterruptible: given.isInterruptible ?? false,
    createdAt: region.now(),
    startsAt: region.now(),
    endsAt,
    tags: tagsOf(tags),
    instances: new Set(),
    total: count,
    state: 'active',
  };
  region.reservations.set(reservation.id, reservation);
  if (endsAt !== undefined) scheduleEnd(region, reservation, endsAt);
  return reservation;
}

function scheduleEnd(region: Ec2Region, reservation: CapacityReservation, endsAt: number): void {
  const { timers } = region.deps;
  const left = endsAt - region.now();
  if (reservation.type === 'capacity-block') {
    timers.after(left - BLOCK_CLEARED_BEFORE_END, () => clearBlock(region, reservation));
  }
  timers.after(left, () => endReservation(region, reservation, 'expired'));
}

function clearBlock({ instances }: Ec2Region, reservation: CapacityReservation): void {
  const message = 'Server.CapacityBlockExpiration: The capacity block ends';
  for (const one of instances.all()) {
    if (one.reservedIn === reservation.id)
      instances.terminate(one, { code: 'Server.CapacityBlockExpiration', message });
  }
}

/** What runs in it goes on running, as on-demand instances. */
export function endReservation(
  { instances }: Ec2Region,
  reservation: CapacityReservation,
  state: 'expired' | 'cancelled',
): void {
  reservation.state = state;
  for (const one of instances.all()) {
    if (one.reservedIn === reservation.id && isAlive(one)) one.reservedIn = undefined;
  }
}

function tagsOf(given: GivenTags = {}): Tags {
  return new Map(Object.entries(given));
}
