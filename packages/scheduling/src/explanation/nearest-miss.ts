import {
  compareQuantities,
  findIncompatibilities,
  type Incompatibility,
  type ProviderProfile,
  type Quantity,
  type Requirements,
  subtractQuantities,
  toRequirements,
  ZERO_QUANTITY,
} from '@karpenter-ts/apis';
import { allocatableOf } from '../instance-types/allocatable.ts';
import type { InstanceType } from '../instance-types/instance-type.ts';
import { compatibleOfferings } from '../instance-types/launch-price.ts';
import { addAmounts, AmountReader, type Amounts } from '../resources/amounts.ts';
import type { InstanceTypeRefusal } from './reason.ts';

/** What keeps an instance type from being the node. */
export interface Shortfall {
  readonly instanceType: string;
  /** Labels it has another value of. */
  readonly conflicts: readonly Incompatibility[];
  /** How much it lacks, by resource. */
  readonly lacks: Amounts;
  /** Whether none of its offerings that would do can be had now. */
  readonly isUnavailable: boolean;
  /** Of its cheapest offering that would do; Infinity if there is none. */
  readonly pricePerHour: number;
}

/** What is asked of a type. */
export interface TypeQuestion {
  readonly requirements: Requirements;
  /** Of pods and daemons together. */
  readonly requests: Amounts;
  readonly profile: ProviderProfile;
}

/** Every way in which a type falls short; nothing in it means that it would do. */
export function shortfallOf(type: InstanceType, { requirements, requests, profile }: TypeQuestion): Shortfall {
  const reader = new AmountReader();
  const declared = toRequirements(type.requirements, profile);
  const offerings = compatibleOfferings(type, requirements, profile);
  return {
    instanceType: type.name,
    conflicts: findIncompatibilities(declared, requirements, new Set(requirements.keys())),
    lacks: missing(requests, allocatableOf(type, offerings[0], reader)),
    isUnavailable: offerings.length === 0,
    pricePerHour: Math.min(...offerings.map(({ pricePerHour }) => pricePerHour)),
  };
}

/** The type that came closest for a pod no type would do for: the fewest obstacles, then the smallest lack. */
export function findNearestMiss(
  types: readonly InstanceType[],
  { requirements, podRequests, leastDaemonRequests }: InstanceTypeRefusal,
  profile: ProviderProfile,
): Shortfall | undefined {
  const requests = addAmounts(podRequests, leastDaemonRequests);
  const shortfalls = types.map((type) => shortfallOf(type, { requirements, requests, profile }));
  return shortfalls.sort((a, b) => obstacles(a) - obstacles(b) || lackOf(a, requests) - lackOf(b, requests))[0];
}

/** Why a planned node is of no cheaper type: the types below its price with what they fall short of, cheapest first. */
export function cheaperTypes(
  types: readonly InstanceType[],
  node: TypeQuestion & { readonly pricePerHour: number; readonly poolRequirements: Requirements },
): readonly Shortfall[] {
  const { poolRequirements, requests, profile } = node;
  const inPool = (type: InstanceType) => shortfallOf(type, { requirements: poolRequirements, requests, profile });
  return types
    .map((type) => ({ ...shortfallOf(type, node), pricePerHour: inPool(type).pricePerHour }))
    .filter(({ pricePerHour }) => pricePerHour < node.pricePerHour)
    .sort((a, b) => a.pricePerHour - b.pricePerHour);
}

function missing(requests: Amounts, allocatable: Amounts): Amounts {
  const lacks = new Map<string, Quantity>();
  for (const [name, wanted] of requests) {
    const has = allocatable.get(name) ?? ZERO_QUANTITY;
    if (compareQuantities(wanted, has) > 0) lacks.set(name, subtractQuantities(wanted, has));
  }
  return lacks;
}

function obstacles({ conflicts, lacks, isUnavailable }: Shortfall): number {
  return conflicts.length + lacks.size + (isUnavailable ? 1 : 0);
}

/** The largest lack, as a share of what was asked for. */
function lackOf({ lacks }: Shortfall, requests: Amounts): number {
  return Math.max(0, ...[...lacks].map(([name, { nanos }]) => Number(nanos) / Number(requests.get(name)!.nanos)));
}
