import {
  CAPACITY_TYPE_LABEL,
  findIncompatibilities,
  intersect,
  type NodeClaim,
  type Requirements,
  toRequirement,
  toRequirements,
} from '@karpenter-ts/apis';
import { parseQuantity, type ResourceList } from '@karpenter-ts/kubernetes';
import {
  allocatableResources,
  canHold,
  compatibleOfferings,
  type InstanceType,
  type Offering,
} from '@karpenter-ts/scheduling';
import { FAKE_PROFILE } from '@karpenter-ts/scheduling/testing';

/** What a launch decided. */
export interface FakeInstance {
  readonly labels: Readonly<Record<string, string>>;
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
}

/** The cheapest of the types that meets the claim; reserved capacity goes first. Undefined if none does. */
export function chooseInstance(nodeClaim: NodeClaim, types: readonly InstanceType[]): FakeInstance | undefined {
  const requirements = toRequirements(nodeClaim.spec.requirements, FAKE_PROFILE);
  const requests = nodeClaim.spec.resources?.requests ?? {};
  let best: { readonly type: InstanceType; readonly offering: Offering } | undefined;
  for (const type of types) {
    if (!isCompatible(type, requirements)) continue;
    const offering = cheapestOffering(type, requirements);
    if (offering === undefined || !canHold(type, offering, requests)) continue;
    if (best === undefined || offering.pricePerHour < best.offering.pricePerHour) best = { type, offering };
  }
  if (best === undefined) return undefined;
  const { type, offering } = best;
  return {
    labels: { ...resolveLabels(type, offering, requirements), ...nodeClaim.metadata.labels },
    capacity: withoutZeros(type.capacity),
    allocatable: withoutZeros(allocatableResources(type, offering)),
  };
}

function isCompatible({ requirements }: InstanceType, asked: Requirements): boolean {
  return (
    findIncompatibilities(asked, toRequirements(requirements, FAKE_PROFILE), FAKE_PROFILE.wellKnownLabels).length === 0
  );
}

function cheapestOffering(type: InstanceType, requirements: Requirements): Offering | undefined {
  const offerings = compatibleOfferings(type, requirements, FAKE_PROFILE);
  const reserved = offerings.find((offering) => valueOf(offering, CAPACITY_TYPE_LABEL) === 'reserved');
  return reserved ?? offerings.toSorted((a, b) => a.pricePerHour - b.pricePerHour)[0];
}

/** One value the claim allows for every label of the type; those of the offering stand. */
function resolveLabels(type: InstanceType, offering: Offering, asked: Requirements): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const spec of type.requirements) {
    const offered = toRequirement(spec, FAKE_PROFILE);
    const wanted = asked.get(offered.key);
    const { complement, values } = wanted === undefined ? offered : intersect(offered, wanted);
    const [first] = values;
    if (!complement && first !== undefined) labels[offered.key] = first;
  }
  for (const { key } of offering.requirements) labels[key] = valueOf(offering, key)!;
  return labels;
}

function valueOf({ requirements }: Offering, key: string): string | undefined {
  return requirements.find((one) => one.key === key)?.values?.[0];
}

function withoutZeros(list: ResourceList): ResourceList {
  return Object.fromEntries(Object.entries(list).filter(([, amount]) => parseQuantity(amount).nanos !== 0n));
}
