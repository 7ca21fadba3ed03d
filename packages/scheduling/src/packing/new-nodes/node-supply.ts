import type { Market } from '../../model/instance-types/market.ts';
import type { BitSet } from '../../model/interning/bit-set.ts';
import { withoutLastResorts } from '../../model/instance-types/last-resorts.ts';
import { findShortages } from '../../model/instance-types/min-values.ts';
import type { RequirementSet, RequirementSets } from '../../model/requirements/requirement-set.ts';
import type { Domains } from '../../model/requirements/domains.ts';
import type { NodeSupply } from '../../topology/restriction.ts';

/** What a new node, or a planned one, could be bought as with one more pod on it. */
export class OfferedSupply implements NodeSupply {
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

  /** A domain with nothing but last resorts is Infinity as long as there are others. */
  prices(domains: Domains, set: RequirementSet): Float64Array {
    const prices = new Float64Array(domains.size).fill(Number.POSITIVE_INFINITY);
    const { usable, kinds } = this.#market.supply(set);
    const large = this.#largeEnough.clone();
    large.intersect(usable);
    const left = withoutLastResorts(large, set, this.#market.catalogue);
    const isOffered = this.#market.catalogue.isOfferedBy(domains.key);
    for (const { values, price } of isOffered
      ? this.#byOffering(domains, left, kinds)
      : this.#byType(domains, left, kinds)) {
      for (const value of values) {
        const domain = domains.idOf(value);
        if (price < prices[domain]!) prices[domain] = price;
      }
    }
    return prices;
  }

  /** Of a label that offerings differ by, as zones and capacity types: a quote for each kind of them. */
  *#byOffering({ key }: Domains, left: BitSet, kinds: readonly number[]): Generator<Quote, void, undefined> {
    const { catalogue } = this.#market;
    for (const kind of kinds) {
      const { variants, prices } = catalogue.priceOrder([kind]);
      const cheapest = variants.find((variant) => left.has(variant));
      const values = catalogue.kinds[kind]!.requirements.get(key)?.values;
      if (cheapest !== undefined && values !== undefined) yield { values, price: prices[catalogue.typeOf[cheapest]!]! };
    }
  }

  /** Of a label that types declare, such as their family: a quote for each value. */
  *#byType({ key }: Domains, left: BitSet, kinds: readonly number[]): Generator<Quote, void, undefined> {
    const { catalogue } = this.#market;
    const { prices } = catalogue.priceOrder(kinds);
    for (const { requirement, variants } of catalogue.declarations(key)) {
      let price = Number.POSITIVE_INFINITY;
      for (let variant = variants.next(0); variant >= 0; variant = variants.next(variant + 1)) {
        if (left.has(variant)) price = Math.min(price, prices[catalogue.typeOf[variant]!]!);
      }
      yield { values: requirement.values, price };
    }
  }
}

/** Values of a label, and the price of the cheapest variant that has one of them. */
interface Quote {
  readonly values: ReadonlySet<string>;
  readonly price: number;
}

/** Of an existing node: it is what it is. */
export const FIXED_NODE: NodeSupply = { dependsOn: () => false, holds: () => true, prices: () => new Float64Array() };
