import type { Market } from '../instance-types/market.ts';
import type { BitSet } from '../interning/bit-set.ts';
import { findShortages } from '../requirements/min-values.ts';
import type { RequirementSet, RequirementSets } from '../requirements/requirement-set.ts';
import type { Domains } from '../topology/domains.ts';
import type { Outlook } from '../topology/restriction.ts';

/** What a new node, or a planned one, could be bought as with one more pod on it. */
export class NodeOutlook implements Outlook {
  readonly #sets: RequirementSets;
  readonly #market: Market;
  readonly #largeEnough: BitSet;
  readonly #minValues: 'Keep' | 'Lower';

  /** `largeEnough` are the variants that hold all its pods; not to be changed while this is in use. */
  constructor(sets: RequirementSets, market: Market, largeEnough: BitSet, minValues: 'Keep' | 'Lower') {
    this.#sets = sets;
    this.#market = market;
    this.#largeEnough = largeEnough;
    this.#minValues = minValues;
  }

  dependsOn({ key }: Domains): boolean {
    return this.#market.catalogue.speaksOf(key);
  }

  holds(set: RequirementSet): boolean {
    const { usable } = this.#market.supply(set);
    if (!set.hasMinValues || this.#minValues === 'Lower') return this.#largeEnough.overlaps(usable);
    const left = this.#largeEnough.clone();
    return left.intersect(usable) && findShortages(set, this.#sets, this.#market.catalogue, left).length === 0;
  }
}

/** Of an existing node: it is what it is. */
export const NO_OUTLOOK: Outlook = { dependsOn: () => false, holds: () => true };
