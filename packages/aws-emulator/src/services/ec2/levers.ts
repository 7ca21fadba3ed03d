import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { Pool, QuotaClass } from './capacity.ts';
import {
  createCapacityReservation,
  createImage,
  createPlacementGroup,
  createSecurityGroup,
  createSubnet,
  createVpc,
  endReservation,
  type GivenTags,
  type NewCapacityReservation,
  type NewImage,
  type NewPlacementGroup,
  type NewSecurityGroup,
  type NewSubnet,
  type NewVpc,
} from './creations.ts';
import type { Image } from './images.ts';
import type { Ec2Instance, MutableInstance, StatusCheck } from './instance.ts';
import type { InstanceListener } from './instances.ts';
import { interrupt, recommendRebalance } from './interruptions.ts';
import type { LaunchTemplate } from './launch-templates.ts';
import type { Refusal } from './refusals.ts';
import type { Ec2Region } from './region.ts';
import type { CapacityReservation } from './reservations.ts';
import { endEvent, type NewScheduledEvent, scheduleEvent } from './scheduled-events.ts';
import type { Timing } from './timing.ts';
import type { Rate } from './token-buckets.ts';

/** The network of a cluster. */
export interface ClusterNetwork {
  readonly vpcId: string;
  /** By the name of their zone. */
  readonly subnetIds: Readonly<Record<string, string>>;
  readonly securityGroupId: string;
}

export interface NewClusterNetwork {
  /** Everything is tagged `karpenter.sh/discovery` with it. */
  readonly cluster: string;
  /** All of the region unless given. */
  readonly zones?: readonly string[];
  readonly tags?: GivenTags;
  /** Its subnets have IPv6 addresses, too. */
  readonly isIpv6?: boolean;
}

/** What happens to an account in a region without a call of its own. Ids that do not exist are a RangeError. */
export class Ec2Levers {
  readonly #region: Ec2Region;
  readonly #listeners: Set<InstanceListener>;

  constructor(region: Ec2Region, listeners: Set<InstanceListener>) {
    this.#region = region;
    this.#listeners = listeners;
  }

  /** A VPC with a subnet in each zone and a security group, as cluster installers make them. */
  addClusterNetwork({ cluster, zones, tags = {}, isIpv6 = false }: NewClusterNetwork): ClusterNetwork {
    const all = { 'karpenter.sh/discovery': cluster, ...tags };
    const { id: vpcId } = createVpc(this.#region, { tags: { Name: cluster, ...all } });
    const names = zones ?? this.#region.catalogue.zones.map(({ name }) => name);
    const subnets = names.map((zone, index) => {
      const ipv6 = isIpv6 ? { ipv6Cidr: `2600:1f18:0:${index}::/64` } : {};
      return [zone, this.addSubnet({ vpcId, zone, tags: all, ...ipv6 })] as const;
    });
    const securityGroupId = this.addSecurityGroup({ vpcId, name: `${cluster}-node`, tags: all });
    return { vpcId, subnetIds: Object.fromEntries(subnets), securityGroupId };
  }

  /** These return the id of what they add. */
  addVpc(vpc: NewVpc = {}): string {
    return createVpc(this.#region, vpc).id;
  }

  addSubnet(subnet: NewSubnet): string {
    return createSubnet(this.#region, subnet).id;
  }

  addSecurityGroup(group: NewSecurityGroup): string {
    return createSecurityGroup(this.#region, group).id;
  }

  addImage(image: NewImage): string {
    return createImage(this.#region, image).id;
  }

  addPlacementGroup(group: NewPlacementGroup): string {
    return createPlacementGroup(this.#region, group).id;
  }

  addCapacityReservation(reservation: NewCapacityReservation): string {
    return createCapacityReservation(this.#region, reservation).id;
  }

  removeSubnet(id: string): void {
    get(this.#region.subnets, id);
    this.#region.subnets.delete(id);
  }

  removeSecurityGroup(id: string): void {
    get(this.#region.securityGroups, id);
    this.#region.securityGroups.delete(id);
  }

  removePlacementGroup(id: string): void {
    get(this.#region.placementGroups, id).state = 'deleted';
    this.#region.placementGroups.delete(id);
  }

  setImage(id: string, change: Partial<Pick<Image, 'state' | 'deprecatedAt'>>): void {
    Object.assign(get(this.#region.images, id), change);
  }

  /** How many addresses of a subnet are free now. */
  setFreeAddresses(subnetId: string, count: number): void {
    get(this.#region.subnets, subnetId).setFree(count);
  }

  setReservedCount(reservationId: string, total: number): void {
    get(this.#region.reservations, reservationId).total = total;
  }

  cancelReservation(id: string): void {
    endReservation(this.#region, get(this.#region.reservations, id), 'cancelled');
  }

  /** How many instances of ours each of the pools can have at a time. 0: insufficient capacity at once. */
  setCapacity(pools: Partial<Pool>, most: number): void {
    this.#region.capacity.limit(pools, most);
  }

  /** So large a share of all pools, from 0 to 1, is out of capacity at any time: others every three hours, by seed. */
  setShortage(share: number): void {
    this.#region.shortage = share;
  }

  /** Launches from these pools are refused with a code and a message of EC2's. Returns how to lift that. */
  refuseLaunches(pools: Partial<Pool>, refusal: Refusal): () => void {
    return this.#region.capacity.refuse(pools, refusal);
  }

  /** In vCPUs. */
  setQuota(lifecycle: 'on-demand' | 'spot', quotaClass: QuotaClass, vcpus: number): void {
    this.#region.capacity.setQuota(lifecycle, quotaClass, vcpus);
  }

  /** How many fleets with living instances there can be. */
  setFleetQuota(most: number): void {
    this.#region.mostFleets = most;
  }

  /** Whether the account has the service-linked role of EC2 Spot, or can create it. */
  setSpotRole(role: 'present' | 'missing'): void {
    this.#region.hasSpotRole = role === 'present';
  }

  setTiming(timing: Partial<Timing>): void {
    this.#region.timing = { ...this.#region.timing, ...timing };
  }

  /** How fast one call can be made. */
  setRequestRate(operation: string, rate: Rate): void {
    this.#region.buckets.setRate(operation, rate);
  }

  /** How often in an hour a spot instance that is launched from now on is interrupted, on the average. */
  setSpotInterruptions(perHour: number): void {
    this.#region.spotInterruptionsPerHour = perHour;
  }

  /** EC2 takes back a spot instance, or one in an interruptible reservation: with a warning, two minutes before. */
  interrupt(instanceId: string): void {
    interrupt(this.#region, this.#instance(instanceId));
  }

  recommendRebalance(instanceId: string): void {
    recommendRebalance(this.#region, this.#instance(instanceId));
  }

  /** Somebody terminates it who is not a client of ours. */
  terminate(instanceId: string): void {
    const message = 'Client.InstanceInitiatedShutdown: Instance initiated shutdown';
    const reason = { code: 'Client.InstanceInitiatedShutdown', message };
    this.#region.instances.terminate(this.#instance(instanceId), reason);
  }

  /** The instance runs on outside its capacity reservation. */
  leaveReservation(instanceId: string): void {
    const instance = this.#instance(instanceId);
    const { reservedIn } = instance;
    if (reservedIn !== undefined) this.#region.reservations.get(reservedIn)?.instances.delete(instanceId);
    instance.reservedIn = undefined;
  }

  /** A status check of the instance fails from now on. */
  impair(instanceId: string, check: StatusCheck): void {
    this.#instance(instanceId).impairedSince.set(check, this.#region.now());
  }

  recover(instanceId: string, check: StatusCheck): void {
    this.#instance(instanceId).impairedSince.delete(check);
  }

  /** EC2 announces what it will do to an instance; then it does it, unless the event is ended before. Returns its id. */
  scheduleEvent(instanceId: string, event: NewScheduledEvent): string {
    return scheduleEvent(this.#region, this.#instance(instanceId), event).id;
  }

  /** EC2 keeps telling of it for a week, as `[Completed] …` or `[Canceled] …`. */
  endEvent(instanceId: string, id: string, how: 'Completed' | 'Canceled'): void {
    endEvent(this.#region, this.#instance(instanceId), { id, how });
  }

  /** All instances, those that calls are not told of yet included, until an hour after their end. */
  instances(): readonly Ec2Instance[] {
    return [...this.#region.instances.all()];
  }

  findInstance(id: string): Ec2Instance | undefined {
    return this.#region.instances.get(id);
  }

  launchTemplates(): readonly LaunchTemplate[] {
    return [...this.#region.launchTemplates.values()];
  }

  findType(instanceType: string): InstanceTypeInfo | undefined {
    return this.#region.catalogue.find(instanceType);
  }

  findImage(id: string): Image | undefined {
    return this.#region.images.get(id);
  }

  findReservation(id: string): CapacityReservation | undefined {
    return this.#region.reservations.get(id);
  }

  /** What an instance costs an hour on demand; undefined for a type that is not sold. */
  onDemandPrice(instanceType: string): number | undefined {
    return this.#region.catalogue.onDemandPrice(instanceType);
  }

  /** What a spot instance costs an hour, now unless another time is given; undefined where there are none. */
  spotPrice(instanceType: string, zone: string, at: number = this.#region.now()): number | undefined {
    return this.#region.market.priceAt(instanceType, zone, at);
  }

  /** Calls back on each change of an instance's state, in every account and region. Returns how to end that. */
  onInstance(listener: InstanceListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #instance(id: string): MutableInstance {
    const found = this.#region.instances.get(id);
    if (found === undefined) throw new RangeError(`there is no ${id}`);
    return found;
  }
}

function get<T>(things: ReadonlyMap<string, T>, id: string): T {
  const thing = things.get(id);
  if (thing === undefined) throw new RangeError(`there is no ${id}`);
  return thing;
}
