import { durationText, type Logger, MINUTE, type SteadyClock } from '@karpenter-ts/runtime';

/** How long an offering is not asked for after EC2 had no capacity (spec 07 §9). */
const LIFETIME = 3 * MINUTE;

/** One way to buy a type, as far as EC2 tells capacity apart. */
export interface CapacityPool {
  readonly instanceType: string;
  readonly zone: string;
  /** `on-demand` or `spot`. */
  readonly capacityType: string;
  /** The placement group that was launched into: a lack of room there says nothing about launches outside of it. */
  readonly placementGroupId?: string | undefined;
  /** The partition of that group that was asked for. */
  readonly partition?: string | undefined;
}

/** Why an offering is taken out. */
export interface UnavailableReason {
  readonly reason: string;
  /** The request that met the lack of capacity. */
  readonly fleetId?: string | undefined;
}

/**
 * What EC2 has lately had no capacity for, for three minutes after the last time it said so. Sequence numbers rise
 * whenever an answer may have changed, so that offerings are made anew for the types concerned and for no others. An entry
 * ends by itself: whoever asks first after that notices, and no timer is needed.
 */
export class UnavailableOfferings {
  readonly #logger: Logger;
  readonly #pools: ExpiringMarks;
  readonly #capacityTypes: ExpiringMarks;
  readonly #subnets: ExpiringMarks;
  readonly #clock: SteadyClock;
  /** By instance type. There is one number for each type that was ever marked. */
  readonly #sequences = new Map<string, number>();
  /** Counts the changes that concern all types. */
  #common = 0;
  #version = 0;

  constructor({ clock, logger }: { readonly clock: SteadyClock; readonly logger: Logger }) {
    this.#clock = clock;
    this.#logger = logger;
    const raiseCommon = (): void => {
      this.#common++;
      this.#version++;
    };
    this.#pools = new ExpiringMarks((key) => this.#raise(instanceTypeOf(key)));
    this.#capacityTypes = new ExpiringMarks(raiseCommon);
    this.#subnets = new ExpiringMarks(raiseCommon);
  }

  /** Rises whenever the sequence number of any type does. */
  get version(): number {
    this.#dropExpired();
    return this.#version;
  }

  /** Rises whenever the availability of an offering of this type may have changed. */
  sequence(instanceType: string): number {
    this.#dropExpired();
    return (this.#sequences.get(instanceType) ?? 0) + this.#common;
  }

  /**
   * Whether EC2 has lately had no capacity there. `zoneSubnets` are the subnets that a launch could use in the zone: it is
   * out of addresses if all of them are. A zone without any is not judged, because it is ruled out elsewhere.
   */
  isUnavailable(pool: CapacityPool, zoneSubnets: readonly string[]): boolean {
    this.#dropExpired();
    if (this.#pools.size > 0 && this.#pools.has(keyOf(pool))) return true;
    if (this.#capacityTypes.size > 0 && this.#capacityTypes.has(pool.capacityType)) return true;
    return this.#subnets.size > 0 && zoneSubnets.length > 0 && zoneSubnets.every((id) => this.#subnets.has(id));
  }

  /** There is no capacity of this type there. Doing so again starts the three minutes anew. */
  markUnavailable(pool: CapacityPool, { reason, fleetId }: UnavailableReason): void {
    this.#dropExpired();
    this.#logger.debug('removing offering from offerings', {
      reason,
      'instance-type': pool.instanceType,
      zone: pool.zone,
      'capacity-type': pool.capacityType,
      ttl: durationText(LIFETIME),
      ...(pool.placementGroupId && { 'placement-group-id': pool.placementGroupId }),
      ...(pool.placementGroupId && pool.partition && { 'placement-group-partition': pool.partition }),
      ...(fleetId !== undefined && { 'fleet-id': fleetId }),
    });
    this.#pools.set(keyOf(pool), this.#clock.elapsed() + LIFETIME);
  }

  /** Nothing of this capacity type can be bought, of no type: the account may not. */
  markCapacityTypeUnavailable(capacityType: string): void {
    this.#dropExpired();
    this.#capacityTypes.set(capacityType, this.#clock.elapsed() + LIFETIME);
  }

  /** The subnet has no free addresses. */
  markSubnetUnavailable(subnetId: string): void {
    this.#dropExpired();
    this.#subnets.set(subnetId, this.#clock.elapsed() + LIFETIME);
  }

  /** Takes a mark back. */
  delete(pool: CapacityPool): void {
    this.#dropExpired();
    this.#pools.delete(keyOf(pool));
  }

  #raise(instanceType: string): void {
    this.#sequences.set(instanceType, (this.#sequences.get(instanceType) ?? 0) + 1);
    this.#version++;
  }

  #dropExpired(): void {
    const now = this.#clock.elapsed();
    this.#pools.dropExpired(now);
    this.#capacityTypes.dropExpired(now);
    this.#subnets.dropExpired(now);
  }
}

/** Keys that end at a time. All live equally long, so the first to end comes first. */
class ExpiringMarks {
  readonly #ends = new Map<string, number>(); // elapsed milliseconds
  readonly #changed: (key: string) => void;

  /** `changed` is told of every key that is set, deleted or at its end. */
  constructor(changed: (key: string) => void) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#ends.size;
  }

  has(key: string): boolean {
    return this.#ends.has(key);
  }

  set(key: string, until: number): void {
    this.#ends.delete(key); // moves the key to the end of the order
    this.#ends.set(key, until);
    this.#changed(key);
  }

  delete(key: string): void {
    if (this.#ends.delete(key)) this.#changed(key);
  }

  dropExpired(now: number): void {
    for (const [key, until] of this.#ends) {
      if (now < until) return;
      this.delete(key);
    }
  }
}

/** The names of types, zones, groups and partitions have no colons. */
function keyOf({ capacityType, instanceType, zone, placementGroupId, partition }: CapacityPool): string {
  const pool = `${capacityType}:${instanceType}:${zone}`;
  if (!placementGroupId) return pool;
  return partition ? `${pool}:${placementGroupId}:${partition}` : `${pool}:${placementGroupId}`;
}

function instanceTypeOf(key: string): string {
  return key.split(':')[1]!;
}
