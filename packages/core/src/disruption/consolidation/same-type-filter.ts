import { findIncompatibilities, type ProviderProfile, toLabelRequirements, toRequirements } from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { Candidate } from '../candidates/candidate.ts';
import { keepCheaper, type NoOffer, type Offer } from './offer.ts';

/**
 * Keeps only types that are cheaper than each of the candidates' own types among them (spec 04 §12). Without this, two
 * equal nodes could be replaced by one of the same type, where it is enough to delete one of them and move fewer pods.
 */
export function dropSameTypes(
  offer: Offer,
  candidates: readonly Candidate[],
  profile: ProviderProfile,
): Offer | NoOffer {
  const prices = lowestPrices(candidates, profile);
  let limit = Number.POSITIVE_INFINITY;
  for (const { name } of offer.types) limit = Math.min(limit, prices.get(name) ?? Number.POSITIVE_INFINITY);
  return keepCheaper(offer, limit);
}

/** By type: the least that one of the candidates of this type could cost; 0 if no offering is known for its labels. */
function lowestPrices(candidates: readonly Candidate[], profile: ProviderProfile): ReadonlyMap<string, number> {
  const lowest = new Map<string, number>();
  const unpriced = new Set<string>();
  for (const { stateNode, instanceType } of candidates) {
    if (instanceType === undefined) continue;
    const { name } = instanceType;
    const price = cheapestFor(stateNode.existing.labels, instanceType, profile);
    if (price === undefined) unpriced.add(name);
    else lowest.set(name, Math.min(price, lowest.get(name) ?? Number.POSITIVE_INFINITY));
  }
  for (const name of unpriced) if (!lowest.has(name)) lowest.set(name, 0);
  return lowest;
}

/** Of the offerings a node with these labels may have been bought as, available or not. */
function cheapestFor(
  labels: Readonly<Record<string, string>>,
  { offerings }: InstanceType,
  profile: ProviderProfile,
): number | undefined {
  const requirements = toLabelRequirements(labels, profile);
  const prices = offerings
    .filter((one) => {
      const offered = toRequirements(one.requirements, profile);
      return findIncompatibilities(requirements, offered, profile.wellKnownLabels).length === 0;
    })
    .map(({ pricePerHour }) => pricePerHour);
  return prices.length === 0 ? undefined : Math.min(...prices);
}
