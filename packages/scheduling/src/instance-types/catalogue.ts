import {
  CAPACITY_TYPE_LABEL,
  type ProviderProfile,
  type Requirement,
  type Requirements,
  toRequirements,
} from '@karpenter-ts/apis';
import { BitSet } from '../interning/bit-set.ts';
import { RequirementTable } from '../requirements/requirement-table.ts';
import { AmountReader, type Amounts, hasNegative } from '../resources/amounts.ts';
import { variantsOf } from './allocatable.ts';
import type { InstanceType } from './instance-type.ts';
import { Levels } from './levels.ts';
import type { Offering } from './offering.ts';

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

/**
 * The instance types of a pool, indexed: everything about them that no pod changes. Ids of *variants* (spec 02 §11) go
 * into bit sets; most types have one, and variants of a type are consecutive.
 */
export class Catalogue {
  readonly types: readonly InstanceType[];
  readonly typeOf: readonly number[];
  /** Variants that can hold anything at all: nothing about them is negative. */
  readonly sound: BitSet;
  readonly kinds: readonly OfferingKind[];
  readonly reserved: readonly ReservedOffering[];
  /** By reservation: how many instances it has left, the smallest where offerings disagree. */
  readonly reservations: ReadonlyMap<string, number>;
  readonly #declarations = new Map<string, Declaration[]>();
  readonly #allocatable: readonly Amounts[];
  readonly #capacity: readonly Amounts[];
  readonly #allocatableLevels = new Map<string, Levels<number>>();
  readonly #capacityLevels = new Map<string, Levels<bigint>>();
  readonly #priceOrders = new Map<string, PriceOrder>();

  constructor(types: readonly InstanceType[], profile: ProviderProfile) {
    const reader = new AmountReader();
    const variants = types.flatMap((type, id) => variantsOf(type, reader).map((variant) => ({ id, ...variant })));
    this.types = types;
    this.typeOf = variants.map(({ id }) => id);
    this.#allocatable = variants.map(({ allocatable }) => allocatable);
    this.#capacity = variants.map(({ id }) => reader.read(types[id]!.capacity));
    this.sound = BitSet.upTo(variants.length);
    this.#allocatable.forEach((amounts, variant) => hasNegative(amounts) && this.sound.delete(variant));
    this.#declare(profile);
    const kinds = new OfferingKinds(this.typeOf, types.length, profile);
    variants.forEach(({ id, offerings }, variant) => {
      for (const offering of offerings) kinds.add(id, variant, offering);
    });
    this.kinds = kinds.list;
    this.reserved = kinds.reserved;
    this.reservations = reservationsOf(types);
  }

  /** What the types declare on a label; empty if none does. */
  declarations(key: string): readonly Declaration[] {
    return this.#declarations.get(key) ?? [];
  }

  /** By how much variants can give pods of a resource, in a unit of so many nanos. */
  allocatableLevels(resource: string, unit: bigint, toUnits: (nanos: bigint) => number): Levels<number> {
    const key = `${resource} ${unit}`;
    let levels = this.#allocatableLevels.get(key);
    if (levels === undefined) {
      levels = new Levels(this.#allocatable.map((amounts) => toUnits(amounts.get(resource)?.nanos ?? 0n)));
      this.#allocatableLevels.set(key, levels);
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
    return { variants, prices };
  }

  #declare(profile: ProviderProfile): void {
    const table = new RequirementTable();
    const known: Declaration[] = [];
    this.typeOf.forEach((type, variant) => {
      for (const [key, requirement] of toRequirements(this.types[type]!.requirements, profile)) {
        const id = table.intern(requirement);
        known[id] ??= this.#addDeclaration(key, { requirement, variants: new BitSet(this.typeOf.length) });
        known[id].variants.add(variant);
      }
    });
  }

  #addDeclaration(key: string, declaration: Declaration): Declaration {
    const others = this.#declarations.get(key);
    if (others === undefined) this.#declarations.set(key, [declaration]);
    else others.push(declaration);
    return declaration;
  }
}

/** Variants in order of price, and the price of each type. */
export interface PriceOrder {
  readonly variants: readonly number[];
  readonly prices: Float64Array;
}

/** Indexes of instance types, kept between runs: the same array of types is indexed once for as long as it is in use. */
export class Catalogues {
  readonly #known = new WeakMap<readonly InstanceType[], { profile: ProviderProfile; catalogue: Catalogue }>();

  of(types: readonly InstanceType[], profile: ProviderProfile): Catalogue {
    const known = this.#known.get(types);
    if (known?.profile === profile) return known.catalogue;
    const catalogue = new Catalogue(types, profile);
    this.#known.set(types, { profile, catalogue });
    return catalogue;
  }
}

/** Sorts offerings into kinds while they are read. */
class OfferingKinds {
  readonly list: OfferingKind[] = [];
  readonly reserved: ReservedOffering[] = [];
  readonly #typeOf: readonly number[];
  readonly #types: number;
  readonly #profile: ProviderProfile;
  readonly #ids = new Map<string, number>();

  constructor(typeOf: readonly number[], types: number, profile: ProviderProfile) {
    this.#typeOf = typeOf;
    this.#types = types;
    this.#profile = profile;
  }

  add(type: number, variant: number, offering: Offering): void {
    const kind = this.#kindOf(offering);
    const { variants, prices } = this.list[kind]!;
    variants.add(variant);
    prices[type] = Math.min(prices[type]!, offering.pricePerHour);
    if (offering.reservation === undefined || !isReserved(this.list[kind]!)) return;
    const ofType = new BitSet(this.#typeOf.length);
    this.#typeOf.forEach((one, id) => one === type && ofType.add(id));
    this.reserved.push({ variants: ofType, kind, reservation: offering.reservation.id });
  }

  #kindOf({ requirements }: Offering): number {
    const text = JSON.stringify(requirements);
    let id = this.#ids.get(text);
    if (id === undefined) {
      id =
        this.list.push({
          requirements: toRequirements(requirements, this.#profile),
          variants: new BitSet(),
          prices: new Float64Array(this.#types).fill(Number.POSITIVE_INFINITY),
        }) - 1;
      this.#ids.set(text, id);
    }
    return id;
  }
}

function isReserved({ requirements }: OfferingKind): boolean {
  return requirements.get(CAPACITY_TYPE_LABEL)?.values.has('reserved') === true;
}

function reservationsOf(types: readonly InstanceType[]): ReadonlyMap<string, number> {
  const capacities = new Map<string, number>();
  for (const { offerings } of types) {
    for (const { reservation } of offerings) {
      if (reservation === undefined) continue;
      const { id, capacity } = reservation;
      capacities.set(id, Math.min(capacities.get(id) ?? capacity, capacity));
    }
  }
  return capacities;
}
