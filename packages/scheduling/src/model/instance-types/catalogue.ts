import type { Requirement, Requirements } from '@karpenter-ts/apis';
import type { BitSet } from '../interning/bit-set.ts';
import type { Amounts } from '@karpenter-ts/kubernetes';
import { toTarget } from '../resources/resource-table.ts';
import type { InstanceType } from '../../snapshot.ts';
import { Levels } from './levels.ts';
import { isLinear } from './linear-prices.ts';

/** What types declare on one label, and the variants of the types that declare it. */
export interface Declaration {
  readonly requirement: Requirement;
  readonly variants: BitSet;
}

/** Offerings of one kind differ in type and price only: in an ordinary region one kind per zone and capacity type. */
export interface OfferingKind {
  readonly requirements: Requirements;
  /** Variants that can be had this way. */
  readonly variants: BitSet;
  /** The lowest price by type; Infinity where it cannot be had this way. */
  readonly prices: Float64Array;
}

/** An available offering of capacity someone has reserved. */
export interface ReservedOffering {
  /** All of its type. */
  readonly variants: BitSet;
  readonly kind: number;
  readonly reservation: string;
}

/** What a catalogue is made of, as its reader found it. */
export interface CatalogueParts {
  readonly types: readonly InstanceType[];
  /** By variant: its type; what it can give to pods; what it counts against limits. */
  readonly typeOf: readonly number[];
  readonly allocatable: readonly Amounts[];
  readonly capacity: readonly Amounts[];
  readonly sound: BitSet;
  readonly lastResorts: BitSet;
  readonly kinds: readonly OfferingKind[];
  readonly reserved: readonly ReservedOffering[];
  readonly reservations: ReadonlyMap<string, number>;
  /** By label. */
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>;
}

/**
 * The instance types of a pool, indexed: everything about them that no pod changes. Ids of *variants* (spec 02 §11) go
 * into bit sets; most types have one, and variants of a type are consecutive.
 */
export class Catalogue {
  readonly types: readonly InstanceType[];
  readonly typeOf: readonly number[];
  /** Variants that can hold anything at all: nothing about them is negative. */
  readonly sound: BitSet;
  /** Variants of types that a launch takes only where no other type would do; see `InstanceType.lastResort`. */
  readonly lastResorts: BitSet;
  readonly kinds: readonly OfferingKind[];
  readonly reserved: readonly ReservedOffering[];
  /** By reservation: how many instances it has left, the smallest where offerings disagree. */
  readonly reservations: ReadonlyMap<string, number>;
  readonly #declarations: ReadonlyMap<string, readonly Declaration[]>;
  readonly #allocatable: readonly Amounts[];
  readonly #capacity: readonly Amounts[];
  readonly #allocatableLevels = new Map<string, Levels<number>>();
  readonly #capacityLevels = new Map<string, Levels<bigint>>();
  readonly #priceOrders = new Map<string, PriceOrder>();
  readonly #offeringLabels: ReadonlySet<string>;
  #hasLinearPrices: boolean | undefined;

  /** Use `Catalogues`. */
  constructor(parts: CatalogueParts) {
    this.types = parts.types;
    this.typeOf = parts.typeOf;
    this.sound = parts.sound;
    this.lastResorts = parts.lastResorts;
    this.kinds = parts.kinds;
    this.reserved = parts.reserved;
    this.reservations = parts.reservations;
    this.#declarations = parts.declarations;
    this.#allocatable = parts.allocatable;
    this.#capacity = parts.capacity;
    this.#offeringLabels = new Set(parts.kinds.flatMap(({ requirements }) => [...requirements.keys()]));
  }

  /** What the types declare on a label; empty if none does. */
  declarations(key: string): readonly Declaration[] {
    return this.#declarations.get(key) ?? [];
  }

  /** Whether types, or offerings, differ by a label; if not, it is all the same to them. */
  speaksOf(key: string): boolean {
    return this.#declarations.has(key) || this.isOfferedBy(key);
  }

  /** Whether offerings differ by a label. */
  isOfferedBy(key: string): boolean {
    return this.#offeringLabels.has(key);
  }

  /** How many types have a variant in both sets. */
  countTypes(variants: BitSet, others: BitSet): number {
    if (this.typeOf.length === this.types.length) return variants.countCommon(others);
    const types = new Set<number>();
    for (const variant of variants) if (others.has(variant)) types.add(this.typeOf[variant]!);
    return types.size;
  }

  /** What a variant has for daemons and pods. */
  allocatable(variant: number): Amounts {
    return this.#allocatable[variant]!;
  }

  /** What it counts against limits. */
  capacity(variant: number): Amounts {
    return this.#capacity[variant]!;
  }

  /** By how much variants can give pods of a resource, in its units. */
  allocatableLevels(resource: string): Levels<number> {
    let levels = this.#allocatableLevels.get(resource);
    if (levels === undefined) {
      levels = new Levels(this.#allocatable.map((amounts) => toTarget(resource, amounts.get(resource)?.nanos ?? 0n)));
      this.#allocatableLevels.set(resource, levels);
    }
    return levels;
  }

  /** By how much the types count against a limit, in nanos. */
  capacityLevels(resource: string): Levels<bigint> {
    let levels = this.#capacityLevels.get(resource);
    if (levels === undefined) {
      levels = new Levels(this.#capacity.map((amounts) => amounts.get(resource)?.nanos ?? 0n));
      this.#capacityLevels.set(resource, levels);
    }
    return levels;
  }

  /** Whether large instance types cost the same per core, byte and so on as small ones. */
  get hasLinearPrices(): boolean {
    this.#hasLinearPrices ??= isLinear({ sizes: this.#sizes(), prices: this.kinds.map(({ prices }) => prices) });
    return this.#hasLinearPrices;
  }

  /** All types by their cheapest offering of these kinds, cheapest first, ties by name. */
  priceOrder(kinds: readonly number[]): PriceOrder {
    const key = kinds.join();
    let order = this.#priceOrders.get(key);
    if (order === undefined) {
      order = this.#sortByPrice(kinds);
      this.#priceOrders.set(key, order);
    }
    return order;
  }

  /** By resource, then by type. */
  #sizes(): readonly (readonly number[])[] {
    const capacities: Amounts[] = [];
    for (const [variant, type] of this.typeOf.entries()) capacities[type] = this.#capacity[variant]!;
    const names = new Set(capacities.flatMap((amounts) => [...amounts.keys()]));
    return [...names].map((name) => capacities.map((amounts) => Number(amounts.get(name)?.nanos ?? 0n)));
  }

  #sortByPrice(kinds: readonly number[]): PriceOrder {
    const prices = new Float64Array(this.types.length).fill(Number.POSITIVE_INFINITY);
    for (const kind of kinds) {
      this.kinds[kind]!.prices.forEach((price, type) => {
        if (price < prices[type]!) prices[type] = price;
      });
    }
    const variants = this.typeOf.map((_, variant) => variant);
    variants.sort((a, b) => {
      const [x, y] = [this.typeOf[a]!, this.typeOf[b]!];
      if (prices[x] !== prices[y]) return prices[x]! < prices[y]! ? -1 : 1;
      return this.types[x]!.name < this.types[y]!.name ? -1 : +(this.types[x]!.name > this.types[y]!.name);
    });
    return { kinds, variants, prices };
  }
}

/** Variants in order of price, and the price of each type, by offerings of these kinds. */
export interface PriceOrder {
  readonly kinds: readonly number[];
  readonly variants: readonly number[];
  readonly prices: Float64Array;
}
