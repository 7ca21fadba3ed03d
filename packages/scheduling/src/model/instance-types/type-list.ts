import { CAPACITY_TYPE_LABEL } from '@karpenter-ts/apis';
import { BitSet } from '../interning/bit-set.ts';
import type { RequirementSet } from '../requirements/requirement-set.ts';
import type { Catalogue, PriceOrder } from './catalogue.ts';
import { withoutLastResorts } from './last-resorts.ts';

/** Instance types in order of price, last resorts behind all others. Nodes with equal choices share one list. */
export interface TypeList {
  readonly names: readonly string[];
  /** How many of them, at the end, a launch takes only if it gets none of the others; 0 if there are no others. */
  readonly lastResorts: number;
  /** Of the types listed. */
  readonly variants: readonly number[];
  /** Of the first. */
  readonly pricePerHour: number;
  /** Those at least one of the types can be had as, sorted. */
  readonly capacityTypes: readonly string[];
}

/** The lists of one plan. Thousands of nodes have a few dozen different ones. */
export class TypeLists {
  readonly #longest: number;
  readonly #known = new Map<PriceOrder, Map<string, TypeList>>();

  constructor(longest: number) {
    this.#longest = longest;
  }

  /**
   * The cheapest types of which some variant is among `variants`; these must not be empty. Last resorts count among the
   * cheapest as upstream counts them, so that as many types are listed as it lists.
   */
  of(variants: BitSet, order: PriceOrder, catalogue: Catalogue, { hasMinValues }: RequirementSet): TypeList {
    let lists = this.#known.get(order);
    if (lists === undefined) {
      lists = new Map();
      this.#known.set(order, lists);
    }
    const text = hasMinValues ? `${variants.text()} varied` : variants.text();
    let list = lists.get(text);
    if (list === undefined) {
      list = this.#list(variants, order, catalogue, { hasMinValues });
      lists.set(text, list);
    }
    return list;
  }

  #list(
    variants: BitSet,
    order: PriceOrder,
    catalogue: Catalogue,
    set: Pick<RequirementSet, 'hasMinValues'>,
  ): TypeList {
    const { typeOf, types } = catalogue;
    const cheapest = this.#cheapest(variants, order, catalogue);
    const choices = choicesAmong(cheapest, order, catalogue, set);
    const listed = [...cheapest.filter((one) => choices.has(one)), ...cheapest.filter((one) => !choices.has(one))];
    const numbers = [...new Set(listed.map((variant) => typeOf[variant]!))];
    return {
      names: numbers.map((type) => types[type]!.name),
      lastResorts: numbers.length - new Set([...choices].map((variant) => typeOf[variant]!)).size,
      variants: listed,
      pricePerHour: order.prices[numbers[0]!]!,
      capacityTypes: capacityTypesOf(listed, order, catalogue),
    };
  }

  /** The variants, as they are ordered, of as many types as a list may have. */
  #cheapest(variants: BitSet, order: PriceOrder, { typeOf }: Catalogue): readonly number[] {
    const cheapest: number[] = [];
    const types = new Set<number>();
    for (const variant of order.variants) {
      if (!variants.has(variant)) continue;
      const type = typeOf[variant]!;
      if (types.size === this.#longest && !types.has(type)) break;
      types.add(type);
      cheapest.push(variant);
    }
    return cheapest;
  }
}

/** Those among which a launch chooses. Beside a reservation, types that cannot be had are listed too and count as choices. */
function choicesAmong(
  cheapest: readonly number[],
  { prices }: PriceOrder,
  catalogue: Catalogue,
  set: Pick<RequirementSet, 'hasMinValues'>,
): BitSet {
  const offered = new BitSet();
  const others = new BitSet();
  for (const variant of cheapest) {
    const canBeHad = prices[catalogue.typeOf[variant]!]! < Number.POSITIVE_INFINITY;
    (canBeHad ? offered : others).add(variant);
  }
  const choices = withoutLastResorts(offered, set, catalogue);
  if (choices === offered) choices.unite(others);
  return choices;
}

function capacityTypesOf(listed: readonly number[], order: PriceOrder, { kinds }: Catalogue): readonly string[] {
  const found = new Set<string>();
  for (const kind of order.kinds) {
    const { requirements, variants } = kinds[kind]!;
    if (!listed.some((variant) => variants.has(variant))) continue;
    for (const capacityType of requirements.get(CAPACITY_TYPE_LABEL)?.values ?? []) found.add(capacityType);
  }
  return [...found].sort();
}
