import {
  CAPACITY_TYPE_LABEL,
  type CapacityType,
  findIncompatibilities,
  type ProviderProfile,
  type Requirements,
  toRequirements,
} from '@karpenter-ts/apis';
import type { InstanceType, Offering } from '../../snapshot.ts';
import { LAUNCH_ORDER } from './launch-price.ts';

/** Offerings with equal requirements: in an ordinary region one kind for each zone and capacity type. */
interface OfferingKind {
  readonly requirements: Requirements;
  /** Where its capacity type stands in the order in which a provider buys; after all others if it is none of these. */
  readonly rank: number;
}

/** An available offering of one type. */
interface Launchable {
  readonly kind: number;
  readonly pricePerHour: number;
}

/**
 * What launches of the instance types of a pool cost, as `worstLaunchPrice` and `compatibleOfferings` have it, but fast
 * enough to be asked about all types for every node of a large cluster: requirements are compared with each kind of
 * offering once, and requirements that accept the same kinds share their prices.
 */
export class LaunchPrices {
  readonly #profile: ProviderProfile;
  readonly #kinds: OfferingKind[] = [];
  readonly #kindIds = new Map<string, number>();
  readonly #launchables = new Map<string, readonly Launchable[]>();
  readonly #byKinds = new Map<string, PricesUnder>();
  readonly #known = new WeakMap<Requirements, PricesUnder>();

  /** Use `LaunchPriceIndexes`. */
  constructor(types: readonly InstanceType[], profile: ProviderProfile) {
    this.#profile = profile;
    for (const { name, offerings } of types) {
      const available = offerings.filter((offering) => offering.available);
      const launchables = available.map((offering) => ({
        kind: this.#kindOf(offering),
        pricePerHour: offering.pricePerHour,
      }));
      this.#launchables.set(name, launchables);
    }
  }

  /** What a node with these requirements would cost. */
  under(requirements: Requirements): PricesUnder {
    let prices = this.#known.get(requirements);
    if (prices === undefined) {
      prices = this.#compare(requirements);
      this.#known.set(requirements, prices);
    }
    return prices;
  }

  #compare(requirements: Requirements): PricesUnder {
    const { wellKnownLabels } = this.#profile;
    const accepted = this.#kinds.map(
      (kind) => findIncompatibilities(requirements, kind.requirements, wellKnownLabels).length === 0,
    );
    const key = accepted.map(Number).join('');
    let prices = this.#byKinds.get(key);
    if (prices === undefined) {
      const ranks = this.#kinds.map(({ rank }, id) => (accepted[id] ? rank : undefined));
      prices = new PricesUnder(this.#launchables, ranks);
      this.#byKinds.set(key, prices);
    }
    return prices;
  }

  #kindOf({ requirements: specs }: Offering): number {
    let text = '';
    for (const { key, operator, values } of specs) text += `${key} ${operator} ${values?.join()}\n`;
    let id = this.#kindIds.get(text);
    if (id === undefined) {
      const requirements = toRequirements(specs, this.#profile);
      const capacityTypes = requirements.get(CAPACITY_TYPE_LABEL)?.values;
      const rank = LAUNCH_ORDER.findIndex((capacityType) => capacityTypes?.has(capacityType));
      id = this.#kinds.push({ requirements, rank: rank < 0 ? UNRANKED : rank }) - 1;
      this.#kindIds.set(text, id);
    }
    return id;
  }
}

/** Of offerings that no launch is of: they count where any compatible offering does, and have no launch price. */
const UNRANKED = LAUNCH_ORDER.length;

/** The prices of a type for certain requirements. Infinity where it cannot be had. */
export interface LaunchPrice {
  /** Of the cheapest offering. */
  readonly cheapest: number;
  /** The most a launch can cost: of the dearest offering of the capacity type it will be of. */
  readonly worst: number;
}

/** The prices of a pool's instance types for a node with certain requirements. */
export class PricesUnder {
  readonly #launchables: ReadonlyMap<string, readonly Launchable[]>;
  /** By kind of offering; undefined if the requirements do not accept it. */
  readonly #ranks: readonly (number | undefined)[];
  readonly #prices = new Map<string, LaunchPrice>();
  readonly #pinned = new Map<CapacityType, PricesUnder>();

  /** Use `LaunchPrices.under`. */
  constructor(launchables: ReadonlyMap<string, readonly Launchable[]>, ranks: readonly (number | undefined)[]) {
    this.#launchables = launchables;
    this.#ranks = ranks;
  }

  /** The prices of the type of this name. */
  of(type: string): LaunchPrice {
    let price = this.#prices.get(type);
    if (price === undefined) {
      price = this.#find(type);
      this.#prices.set(type, price);
    }
    return price;
  }

  /** Those at least one of the types of these names can be had as, sorted. */
  capacityTypes(types: readonly string[]): readonly CapacityType[] {
    const found = LAUNCH_ORDER.filter((_, rank) =>
      types.some((type) => this.#launchables.get(type)?.some(({ kind }) => this.#ranks[kind] === rank)),
    );
    return found.toSorted();
  }

  /** The prices if the node must be of this capacity type as well. */
  pinnedTo(capacityType: CapacityType): PricesUnder {
    let pinned = this.#pinned.get(capacityType);
    if (pinned === undefined) {
      const wanted = LAUNCH_ORDER.indexOf(capacityType);
      const ranks = this.#ranks.map((rank) => (rank === wanted ? rank : undefined));
      pinned = new PricesUnder(this.#launchables, ranks);
      this.#pinned.set(capacityType, pinned);
    }
    return pinned;
  }

  #find(type: string): LaunchPrice {
    let cheapest = Number.POSITIVE_INFINITY;
    let worst = Number.POSITIVE_INFINITY;
    let bestRank = UNRANKED;
    for (const { kind, pricePerHour } of this.#launchables.get(type) ?? []) {
      const rank = this.#ranks[kind];
      if (rank === undefined) continue;
      cheapest = Math.min(cheapest, pricePerHour);
      if (rank > bestRank || rank === UNRANKED) continue;
      worst = rank < bestRank ? pricePerHour : Math.max(worst, pricePerHour);
      bestRank = rank;
    }
    return { cheapest, worst };
  }
}

/** The indexes of all pools: the same array of types is indexed once for as long as it is in use. */
export class LaunchPriceIndexes {
  readonly #profile: ProviderProfile;
  readonly #known = new WeakMap<readonly InstanceType[], LaunchPrices>();

  constructor(profile: ProviderProfile) {
    this.#profile = profile;
  }

  of(types: readonly InstanceType[]): LaunchPrices {
    let prices = this.#known.get(types);
    if (prices === undefined) {
      prices = new LaunchPrices(types, this.#profile);
      this.#known.set(types, prices);
    }
    return prices;
  }
}
