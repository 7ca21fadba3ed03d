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

/** The instance type and offering that a NodeClaim gets. */
export interface Selection {
  readonly type: InstanceType;
  readonly offering: Offering;
}

/**
 * Selects the cheapest of the types that the NodeClaim names; of equal ones the first. If several zones have the same
 * price, the zone is random. A type that can hold the NodeClaim's requests is preferred, which upstream does not check.
 * Last resorts, which upstream's catalogues do not have, are taken as an EC2 launch takes them: where nothing else is left.
 * Throws if the NodeClaim names no type or an unknown one, and InsufficientCapacityError if no offering is available.
 */
export function selectInstance(nodeClaim: NodeClaim, catalogue: Catalogue, rng: SeededRng): Selection {
  const requirements = toRequirements(nodeClaim.spec.requirements, catalogue.profile);
  const isCompatible = compatibilityWith(requirements, catalogue);
  const choices = namedTypes(requirements, catalogue).flatMap((type) => findChoice(type, isCompatible) ?? []);
  const byPrice = choices.toSorted((a, b) => a.price - b.price);
  const requests = nodeClaim.spec.resources?.requests ?? {};
  const holding = byPrice.filter(({ type, cheapest }) => canHold(type, cheapest[0]!, requests));
  const [chosen] = withoutLastResorts(holding.length > 0 ? holding : byPrice, requirements);
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

/** With `minValues` they count towards the variety that is asked for. */
function withoutLastResorts(choices: readonly Choice[], requirements: Requirements): readonly Choice[] {
  if (requirements.values().some(({ minValues }) => minValues !== undefined)) return choices;
  const others = choices.filter(({ type }) => type.lastResort !== true);
  return others.length > 0 ? others : choices;
}

/** Whether the requirements of a type or an offering are compatible with those of a NodeClaim. */
type Compatibility = (offered: readonly RequirementSpec[]) => boolean;

/** Caches the answer for each list of requirements, because hundreds of offerings share a few lists. */
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
