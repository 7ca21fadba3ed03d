import {
  admits,
  findIncompatibilities,
  INSTANCE_TYPE_LABEL,
  type NodeClaim,
  type Requirements,
  type RequirementSpec,
  toRequirements,
} from '@karpenter-ts/apis';
import { InsufficientCapacityError } from '@karpenter-ts/cloudprovider';
import { StructuredError } from '@karpenter-ts/runtime';
import { canHold, type InstanceType, type Offering } from '@karpenter-ts/scheduling';
import type { Catalogue } from './catalogue/catalogue.ts';
import type { SeededRng } from './seeded-rng.ts';

/** The instance a claim gets. */
export interface Selection {
  readonly type: InstanceType;
  readonly offering: Offering;
}

/**
 * The cheapest of the types the claim names, the first of equals; where one costs the same in several zones, the dice
 * decide. A type that can hold the claim's requests goes before one that cannot, which upstream does not look at. Throws
 * when the claim names no types or unknown ones, and `InsufficientCapacityError` when none of them can be had.
 */
export function selectInstance(nodeClaim: NodeClaim, catalogue: Catalogue, rng: SeededRng): Selection {
  const requirements = toRequirements(nodeClaim.spec.requirements, catalogue.profile);
  const isCompatible = compatibilityWith(requirements, catalogue);
  const choices = namedTypes(requirements, catalogue).flatMap((type) => findChoice(type, isCompatible) ?? []);
  const byPrice = choices.toSorted((a, b) => a.price - b.price);
  const requests = nodeClaim.spec.resources?.requests ?? {};
  const chosen = byPrice.find(({ type, cheapest }) => canHold(type, cheapest[0]!, requests)) ?? byPrice[0];
  if (chosen === undefined) {
    throw new InsufficientCapacityError(new Error('no instance type has an available offering that is compatible'));
  }
  return { type: chosen.type, offering: rng.pick(chosen.cheapest) };
}

function namedTypes(requirements: Requirements, catalogue: Catalogue): readonly InstanceType[] {
  const named = requirements.get(INSTANCE_TYPE_LABEL);
  if (named === undefined) throw new Error('instance type requirement not found');
  if (named.complement) return catalogue.instanceTypes.filter(({ name }) => admits(named, name));
  return [...named.values].flatMap((name) => {
    const types = catalogue.named(name);
    if (types.length === 0) throw new StructuredError('instance type not found', { 'instance-type': name });
    return types;
  });
}

interface Choice {
  readonly type: InstanceType;
  readonly price: number;
  readonly cheapest: readonly Offering[]; // all at this price
}

function findChoice(type: InstanceType, isCompatible: Compatibility): Choice | undefined {
  if (!isCompatible(type.requirements)) return undefined;
  const offerings = type.offerings.filter(({ available, requirements }) => available && isCompatible(requirements));
  if (offerings.length === 0) return undefined;
  const price = Math.min(...offerings.map(({ pricePerHour }) => pricePerHour));
  return { type, price, cheapest: offerings.filter(({ pricePerHour }) => pricePerHour === price) };
}

/** Whether what a type or an offering says can be had with what a claim asks. */
type Compatibility = (offered: readonly RequirementSpec[]) => boolean;

/** Looks at each list once: hundreds of offerings share a few. */
function compatibilityWith(asked: Requirements, { profile, requirementsOf }: Catalogue): Compatibility {
  const verdicts = new Map<readonly RequirementSpec[], boolean>();
  return (offered) => {
    let verdict = verdicts.get(offered);
    if (verdict === undefined) {
      verdict = findIncompatibilities(asked, requirementsOf(offered), profile.wellKnownLabels).length === 0;
      verdicts.set(offered, verdict);
    }
    return verdict;
  };
}
