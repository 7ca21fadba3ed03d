import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { instanceTypeFacts, offeringFacts, onDemandPriceFacts } from '@karpenter-ts/ec2-facts';

/** An availability zone of a region. */
export interface Zone {
  readonly name: string;
  readonly id: string;
}

/** A type in a zone. */
export interface Offering {
  readonly instanceType: string;
  readonly zone: string;
  readonly order: number;
}

/** What a region sells. The types that we have figures of; elsewhere than in the four regions of the figures, as us-east-1. */
export class Catalogue {
  readonly zones: readonly Zone[];
  /** In the order of their names. */
  readonly types: readonly InstanceTypeInfo[];
  readonly offerings: readonly Offering[];
  readonly #types: ReadonlyMap<string, InstanceTypeInfo>;
  readonly #orders: ReadonlyMap<string, number>;
  readonly #zonesOfType: Readonly<Record<string, readonly string[]>>;
  readonly #prices: Readonly<Record<string, number>>;

  /** Of all types unless some are named. */
  constructor(region: string, types?: readonly string[]) {
    this.#prices = onDemandPriceFacts()[region] ?? onDemandPriceFacts()[KNOWN_REGION]!;
    this.#zonesOfType = offeringFacts()[region] ?? derivedOfferings(region, this.#prices);
    const facts = instanceTypeFacts();
    const names = Object.keys(this.#zonesOfType)
      .filter((name) => facts[name] !== undefined && (types === undefined || types.includes(name)))
      .sort();
    this.types = names.map((name) => facts[name]!);
    this.#types = new Map(this.types.map((type) => [type.InstanceType!, type]));
    this.#orders = new Map(names.map((name, order) => [name, order]));
    this.zones = zonesOf(region, Object.values(this.#zonesOfType));
    let order = 0;
    this.offerings = names.flatMap((instanceType) =>
      [...this.#zonesOfType[instanceType]!].sort().map((zone) => ({ instanceType, zone, order: order++ })),
    );
  }

  find(instanceType: string): InstanceTypeInfo | undefined {
    return this.#types.get(instanceType);
  }

  /** The place of a type among `types`. */
  orderOf(instanceType: string): number {
    return this.#orders.get(instanceType)!;
  }

  isOffered(instanceType: string, zone: string): boolean {
    return this.zonesOfType(instanceType).includes(zone);
  }

  zonesOfType(instanceType: string): readonly string[] {
    return this.#zonesOfType[instanceType] ?? [];
  }

  /** An hour on demand; undefined where the price list has no price. */
  onDemandPrice(instanceType: string): number | undefined {
    return this.#prices[instanceType];
  }

  zoneIdOf(zone: string): string {
    return this.zones.find(({ name }) => name === zone)!.id;
  }
}

const KNOWN_REGION = 'us-east-1';
const DERIVED_ZONES = new Set(['a', 'b', 'c']);

/** For a region without figures: three zones that sell what those of us-east-1 with the same letters do. */
function derivedOfferings(region: string, prices: Readonly<Record<string, number>>): Record<string, readonly string[]> {
  const derived: Record<string, readonly string[]> = {};
  for (const [type, zones] of Object.entries(offeringFacts()[KNOWN_REGION]!)) {
    const letters = zones.map((zone) => zone.at(-1)!).filter((letter) => DERIVED_ZONES.has(letter));
    if (letters.length > 0 && prices[type] !== undefined) derived[type] = letters.map((letter) => region + letter);
  }
  return derived;
}

/** Zone ids count the zones of a region in the order of their letters; real accounts have the letters mixed. */
function zonesOf(region: string, offered: readonly (readonly string[])[]): readonly Zone[] {
  const names = [...new Set(offered.flat())].sort();
  return names.map((name) => ({ name, id: `${abbreviationOf(region)}-az${name.charCodeAt(name.length - 1) - 96}` }));
}

/** us-east-1 is use1, ap-northeast-2 is apne2, eu-central-1 is euc1, us-gov-west-1 is usgw1. */
function abbreviationOf(region: string): string {
  const parts = region.split('-');
  const initials = parts.slice(1, -1).map((word) => INITIALS[word] ?? word[0]!);
  return parts[0]! + initials.join('') + parts.at(-1)!;
}

const INITIALS: Readonly<Record<string, string>> = {
  northeast: 'ne',
  northwest: 'nw',
  southeast: 'se',
  southwest: 'sw',
};
