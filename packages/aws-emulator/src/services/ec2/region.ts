import type { Place } from '../../state/place.ts';
import type { ServiceDeps } from '../service.ts';
import { Capacity } from './capacity.ts';
import { Catalogue } from './catalogue.ts';
import { Idempotency } from './idempotency.ts';
import type { Image } from './images.ts';
import { type InstanceListener, Instances } from './instances.ts';
import type { LaunchTemplate } from './launch-templates.ts';
import type { SecurityGroup, Subnet, Vpc } from './network.ts';
import type { PlacementGroup } from './placement-groups.ts';
import type { CapacityReservation } from './reservations.ts';
import { SpotMarket } from './spot-market.ts';
import type { Tags } from './tags.ts';
import { type Timing, USUAL_TIMING } from './timing.ts';
import { TokenBuckets } from './token-buckets.ts';

/** What EC2 needs beside what every service is given. */
export interface Ec2Deps extends ServiceDeps {
  /** Whether IAM has an instance profile of that name. */
  readonly isInstanceProfile: (account: string, name: string) => boolean;
  /** The ARN of the role of an instance profile, by its name or its ARN. */
  readonly findRoleArn: (account: string, profile: string) => string | undefined;
  /** The types that there are; undefined for all. */
  readonly types?: readonly string[] | undefined;
}

interface RegionDeps extends Ec2Deps {
  readonly place: Place;
  /** Spot prices follow from it. */
  readonly seed: number;
  readonly listeners: ReadonlySet<InstanceListener>;
}

/** A thing with tags that calls name by its id. */
interface Tagged {
  readonly id: string;
  readonly tags: Tags;
}

/** All that EC2 knows of an account in a region. */
export class Ec2Region {
  readonly place: Place;
  readonly deps: RegionDeps;
  readonly catalogue: Catalogue;
  readonly market: SpotMarket;
  readonly capacity = new Capacity();
  readonly buckets: TokenBuckets;
  readonly idempotency: Idempotency;
  readonly vpcs = new Map<string, Vpc>();
  readonly subnets = new Map<string, Subnet>();
  readonly securityGroups = new Map<string, SecurityGroup>();
  readonly images = new Map<string, Image>();
  readonly reservations = new Map<string, CapacityReservation>();
  readonly placementGroups = new Map<string, PlacementGroup>();
  readonly launchTemplates = new Map<string, LaunchTemplate>();
  readonly instances: Instances;
  timing: Timing = USUAL_TIMING;
  /** Whether the account has the role without which it gets no spot instances. */
  hasSpotRole = true;
  /** How many fleets with instances there can be. */
  mostFleets = Number.POSITIVE_INFINITY;
  /** How often spot instances are interrupted without a lever's doing. */
  spotInterruptionsPerHour = 0;
  /** The share of pools that are out of capacity at any time. */
  shortage = 0;
  #serial = 0;

  constructor(deps: RegionDeps) {
    this.deps = deps;
    this.place = deps.place;
    this.catalogue = new Catalogue(deps.place.region, deps.types);
    this.market = new SpotMarket(this.catalogue, deps.seed);
    this.buckets = new TokenBuckets(deps.clock);
    this.idempotency = new Idempotency(deps.clock);
    this.instances = new Instances({ ...deps, timing: () => this.timing });
  }

  now(): number {
    return this.deps.clock.now();
  }

  nextSerial(): number {
    return this.#serial++;
  }

  newId(prefix: string): string {
    return this.deps.random.id(prefix);
  }

  isInstanceProfile(name: string): boolean {
    return this.deps.isInstanceProfile(this.place.account, name);
  }

  /** The group of a VPC that instances are in when none is named. */
  defaultGroupOf(vpcId: string): string {
    for (const { id, vpcId: of, name } of this.securityGroups.values())
      if (of === vpcId && name === 'default') return id;
    throw new Error(`the VPC ${vpcId} has no default security group`);
  }

  /** What has tags and this id. */
  findTagged(id: string): Tagged | undefined {
    return (
      this.#tagged()
        .find((things) => things.has(id))
        ?.get(id) ?? this.instances.find(id)
    );
  }

  *allTagged(): Generator<Tagged> {
    for (const things of this.#tagged()) yield* things.values();
    yield* this.instances.visible();
  }

  #tagged(): readonly ReadonlyMap<string, Tagged>[] {
    const { vpcs, subnets, securityGroups, images, reservations, placementGroups, launchTemplates } = this;
    return [vpcs, subnets, securityGroups, images, reservations, placementGroups, launchTemplates];
  }
}
