import { CAPACITY_TYPE_LABEL } from '@karpenter-ts/apis';
import type { BitSet } from '../interning/bit-set.ts';
import type { Catalogue, PriceOrder } from './catalogue.ts';

/** Instance types in order of price. Nodes with equal choices share one list. */
export interface TypeList {
  readonly names: readonly string[];
  /** Of the types listed. */
  readonly variants: readonly number[];
  /** Of the cheapest. */
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

  /** The cheapest types of which some variant is among `variants`; these must not be empty. */
  of(variants: BitSet, order: PriceOrder, catalogue: Catalogue): TypeList {
    let lists = this.#known.get(order);
    if (lists === undefined) {
      lists = new Map();
      this.#known.set(order, lists);
    }
    const text = variants.text();
    let list = lists.get(text);
    if (list === undefined) {
      list = this.#list(variants, order, catalogue);
      lists.set(text, list);
    }
    return list;
  }

  #list(variants: BitSet, order: PriceOrder, catalogue: Catalogue): TypeList {
    const { typeOf, types } = catalogue;
    const names: string[] = [];
    const listed: number[] = [];
    let last = -1;
    for (const variant of order.variants) {
      if (!variants.has(variant)) continue;
      const type = typeOf[variant]!;
      if (type !== last && names.length === this.#longest) break;
      if (type !== last) names.push(types[type]!.name);
      listed.push(variant);
      last = type;
    }
    const pricePerHour = order.prices[typeOf[listed[0]!]!]!;
    return { names, variants: listed, pricePerHour, capacityTypes: capacityTypesOf(listed, order, catalogue) };
  }
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
