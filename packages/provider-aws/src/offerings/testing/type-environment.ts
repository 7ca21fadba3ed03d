// Instance types made of EC2's facts, with everything that moves under the test's control.
import type { InstanceTypeInfo, SpotPrice } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { instanceTypeFacts, offeringFacts } from '@karpenter-ts/ec2-facts';
import { Metrics, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER, recordingLogger } from '@karpenter-ts/runtime/testing';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { Ec2Api } from '../../api/aws-apis.ts';
import { DiscoveredMemory } from '../../instance-types/discovered-memory.ts';
import { DiscoveredTypes } from '../../instance-types/discovered-types.ts';
import type { PlacementGroup } from '../../placement/placement-group.ts';
import { Prices } from '../../pricing/prices.ts';
import { ReservationCounts } from '../../reservations/reservation-counts.ts';
import { createInstanceTypes } from '../create-instance-types.ts';
import type { OfferingResolver } from '../offering-resolver.ts';
import { NO_OVERLAY_PRICES, type OverlayPriceSource } from '../overlay-prices.ts';
import { UnavailableOfferings } from '../unavailable-offerings.ts';

export const REGION = 'us-west-2';
export const ZONES = ['us-west-2a', 'us-west-2b', 'us-west-2c', 'us-west-2d'] as const;

type Ec2Answers = Pick<Ec2Api, 'describeInstanceTypes' | 'describeInstanceTypeOfferings' | 'describeSpotPriceHistory'>;

/** What EC2 would answer. Tests change it and refresh. */
export class FakeEc2 implements Ec2Answers {
  /** Each a page. */
  types: InstanceTypeInfo[][];
  /** Zones by type. */
  offerings: Record<string, readonly string[]>;
  spot: SpotPrice[] = [];
  failure: Error | undefined;

  constructor(names: readonly string[], { region = REGION } = {}) {
    const offered = offeringFacts()[region]!;
    this.types = [names.map((name) => structuredClone(factsOf(name)))];
    this.offerings = Object.fromEntries(names.map((name) => [name, offered[name] ?? []]));
  }

  readonly describeInstanceTypes: Ec2Api['describeInstanceTypes'] = async ({ NextToken = '0' }) => {
    if (this.failure) throw this.failure;
    const at = Number(NextToken);
    const next = at + 1 < this.types.length ? String(at + 1) : undefined;
    return { $metadata: {}, InstanceTypes: structuredClone(this.types[at] ?? []), NextToken: next };
  };

  readonly describeInstanceTypeOfferings: Ec2Api['describeInstanceTypeOfferings'] = async () => {
    if (this.failure) throw this.failure;
    const offerings = Object.entries(this.offerings).flatMap(([type, zones]) =>
      zones.map((Location) => ({ InstanceType: type as NonNullable<SpotPrice['InstanceType']>, Location })),
    );
    return { $metadata: {}, InstanceTypeOfferings: offerings };
  };

  readonly describeSpotPriceHistory: Ec2Api['describeSpotPriceHistory'] = async () => {
    if (this.failure) throw this.failure;
    return { $metadata: {}, SpotPriceHistory: this.spot };
  };
}

export function factsOf(name: string): InstanceTypeInfo {
  const facts = instanceTypeFacts()[name];
  if (facts === undefined) throw new Error(`there are no facts of ${name}`);
  return facts;
}

export function spotPrice(instanceType: string, AvailabilityZone: string, price: string): SpotPrice {
  const InstanceType = instanceType as NonNullable<SpotPrice['InstanceType']>;
  return { InstanceType, AvailabilityZone, SpotPrice: price, Timestamp: new Date(0) };
}

/** A NodeClass with a subnet in each of three zones. */
export function nodeClass(
  parts: {
    readonly spec?: Partial<NonNullable<EC2NodeClass['spec']>>;
    readonly status?: Partial<NonNullable<EC2NodeClass['status']>>;
  } = {},
): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      securityGroupSelectorTerms: [],
      subnetSelectorTerms: [],
      ...parts.spec,
    } as NonNullable<EC2NodeClass['spec']>,
    status: { amis: [{ id: 'ami-1', requirements: [] }], subnets: subnetsIn('a', 'b', 'c'), ...parts.status },
  };
}

/** A subnet in each zone, named by its letter. */
export function subnetsIn(...letters: readonly string[]) {
  return letters.map((letter) => ({
    id: `subnet-${letter}`,
    zone: `${REGION}${letter}`,
    zoneID: `usw2-az${letter.charCodeAt(0) - 96}`,
  }));
}

/** Zonal shifts that a test sets. */
class FakeShifts {
  version = 0;
  readonly #shifted = new Set<string>();

  isShifted(zoneId: string): boolean {
    return this.#shifted.has(zoneId);
  }

  set(zoneId: string, isShifted: boolean): void {
    if (isShifted) this.#shifted.add(zoneId);
    else this.#shifted.delete(zoneId);
    this.version++;
  }
}

export interface TypeEnvironmentParts {
  readonly types: readonly string[];
  /** False for a process that has not asked EC2 yet. */
  readonly isDiscovered?: boolean;
  readonly region?: string;
  readonly overlayPrices?: OverlayPriceSource;
  readonly reservedCapacity?: boolean;
  readonly furtherResolvers?: readonly OfferingResolver[];
  readonly options?: { readonly reservedEnis?: number; readonly vmMemoryOverheadPercent?: number };
}

/** The catalogue of these types, as if just started. */
export async function typeEnvironment(parts: TypeEnvironmentParts) {
  const { region = REGION, overlayPrices = NO_OVERLAY_PRICES, reservedCapacity = true, furtherResolvers } = parts;
  const ec2 = new FakeEc2(parts.types, { region });
  const clock = new VirtualClock();
  const logger = recordingLogger();
  const metrics = new Metrics(clock);
  const discovered = new DiscoveredTypes({ ec2, clock, logger, metrics });
  const memory = new DiscoveredMemory({ clock, logger });
  const unavailable = new UnavailableOfferings({ clock, logger });
  const reservations = new ReservationCounts(clock);
  const zonalShift = new FakeShifts();
  const pricing = { getProducts: () => Promise.reject(new Error('there is no price list')) };
  const prices = new Prices({ ec2, pricing, region, isolatedVpc: true, clock, logger, metrics });
  const options = { region, vmMemoryOverheadPercent: 0.075, reservedEnis: 0, ...parts.options };
  const deps = { discovered, memory, prices, overlayPrices, unavailable, zonalShift, reservations, options, clock };
  const source = createInstanceTypes({ ...deps, reservedCapacity, furtherResolvers });
  if (parts.isDiscovered ?? true) {
    await discovered.refreshTypes(NEVER);
    await discovered.refreshOfferings(NEVER);
  }
  return {
    ...deps,
    ec2,
    logger,
    metrics,
    source,
    list: (of = nodeClass(), group?: PlacementGroup) => source.list(of, group),
    get: (name: string, of = nodeClass(), group?: PlacementGroup): InstanceType => source.get(of, group, name),
  };
}
