import {
  AmountReader,
  type Amounts,
  compareQuantities,
  type Quantity,
  subtractQuantities,
  ZERO_QUANTITY,
} from '@karpenter-ts/kubernetes';
import {
  findIncompatibilities,
  type Incompatibility,
  type ProviderProfile,
  type Requirements,
  toRequirements,
} from '@karpenter-ts/apis';
import type { HostPort } from '../failure.ts';
import { variantsOf } from '../model/instance-types/allocatable.ts';
import type { InstanceType } from '../snapshot.ts';
import { compatibleOfferings } from '../model/instance-types/launch-price.ts';

/** What keeps an instance type from being the node. */
export interface Shortfall {
  readonly instanceType: string;
  /** Labels it has another value of. */
  readonly conflicts: readonly Incompatibility[];
  /** Of pods and of the daemons that run on this type. */
  readonly requests: Amounts;
  /** How much of that it lacks. */
  readonly lacks: Amounts;
  /** Whether none of its offerings that would do can be had now. */
  readonly isUnavailable: boolean;
  /** Ports the pods want and a daemon has there. */
  readonly takenPorts: readonly HostPort[];
  /** Names of daemons that would run there and cannot run beside the pod. */
  readonly avoidedDaemons: readonly string[];
  /** Of its cheapest offering that would do; Infinity if there is none. */
  readonly pricePerHour: number;
}

/** What is asked of a type. */
export interface TypeQuestion {
  readonly requirements: Requirements;
  readonly requests: Amounts;
  readonly takenPorts: readonly HostPort[];
  readonly avoidedDaemons: readonly string[];
  readonly profile: ProviderProfile;
}

/** Every way in which a type falls short; nothing in it means that it would do. */
export function shortfallOf(type: InstanceType, question: TypeQuestion): Shortfall {
  const { requirements, requests, takenPorts, avoidedDaemons, profile } = question;
  const declared = toRequirements(type.requirements, profile);
  const offerings = compatibleOfferings(type, requirements, profile);
  return {
    instanceType: type.name,
    conflicts: findIncompatibilities(declared, requirements, new Set(requirements.keys())),
    requests,
    lacks: leastLack(type, requests, new Set(offerings)),
    isUnavailable: offerings.length === 0,
    takenPorts,
    avoidedDaemons,
    pricePerHour: Math.min(...offerings.map(({ pricePerHour }) => pricePerHour)),
  };
}

/** Sorts those that came closest first: by the number of obstacles, then by the largest lack as a share of the whole. */
export function compareShortfalls(a: Shortfall, b: Shortfall): number {
  return countObstacles(a) - countObstacles(b) || largestShare(a) - largestShare(b);
}

function countObstacles({ conflicts, lacks, isUnavailable, takenPorts, avoidedDaemons }: Shortfall): number {
  return conflicts.length + lacks.size + takenPorts.length + avoidedDaemons.length + (isUnavailable ? 1 : 0);
}

function largestShare({ lacks, requests }: Shortfall): number {
  return Math.max(0, ...[...lacks].map(([name, { nanos }]) => Number(nanos) / Number(requests.get(name)!.nanos)));
}

/** What the most fitting of its variants lacks: of those that can be had, or of all if none can. */
function leastLack(type: InstanceType, requests: Amounts, available: ReadonlySet<unknown>): Amounts {
  const variants = variantsOf(type, new AmountReader());
  const offered = variants.filter(({ offerings }) => offerings.some((offering) => available.has(offering)));
  const lacks = (offered.length > 0 ? offered : variants).map(({ allocatable }) => missing(requests, allocatable));
  return lacks.reduce((a, b) => (b.size < a.size ? b : a));
}

function missing(requests: Amounts, allocatable: Amounts): Amounts {
  const lacks = new Map<string, Quantity>();
  for (const [name, wanted] of requests) {
    const has = allocatable.get(name) ?? ZERO_QUANTITY;
    if (compareQuantities(wanted, has) > 0) lacks.set(name, subtractQuantities(wanted, has));
  }
  return lacks;
}
