import { admits } from '@karpenter-ts/apis';
import { BitSet } from '../interning/bit-set.ts';
import type { RequirementSet, RequirementSets } from '../requirements/requirement-set.ts';
import type { RequirementId } from '../requirements/requirement-table.ts';
import type { ResourceTable, ResourceVector } from '../resources/resource-table.ts';
import type { Catalogue, PriceOrder } from './catalogue.ts';
import type { Levels } from './levels.ts';

/** What of a catalogue a node with certain requirements can be. Not to be changed. */
export interface Supply {
  /** Variants whose type meets the requirements. */
  readonly compatible: BitSet;
  /** Variants with an available offering that meets them. */
  readonly offered: BitSet;
  /** Variants that are sound and both. */
  readonly usable: BitSet;
  /** Offering kinds that meet them. */
  readonly kinds: readonly number[];
}

/** A catalogue as one base asks it: answers by the base's own numbers, each worked out once. */
export class Market {
  readonly catalogue: Catalogue;
  readonly #sets: RequirementSets;
  readonly #kindSets: readonly RequirementSet[];
  readonly #resources: ResourceTable;
  readonly #levels: readonly Levels<number>[];
  readonly #allocatable: (ResourceVector | undefined)[] = [];
  readonly #supplies: (Supply | undefined)[] = [];
  readonly #compatible: (BitSet | undefined)[] = [];

  constructor(catalogue: Catalogue, sets: RequirementSets, resources: ResourceTable) {
    this.catalogue = catalogue;
    this.#sets = sets;
    this.#kindSets = catalogue.kinds.map(({ requirements }) => sets.from(requirements.values()).set);
    this.#resources = resources;
    this.#levels = resources.names.map((name) => catalogue.allocatableLevels(name));
  }

  /** What a node with these requirements can be, resources aside. */
  supply(set: RequirementSet): Supply {
    let supply = this.#supplies[set.id];
    if (supply === undefined) {
      supply = this.#work(set);
      this.#supplies[set.id] = supply;
    }
    return supply;
  }

  /** What a variant has for daemons and pods. Not to be changed. */
  allocatable(variant: number): ResourceVector {
    let vector = this.#allocatable[variant];
    if (vector === undefined) {
      vector = this.#resources.toTargets(this.catalogue.allocatable(variant));
      this.#allocatable[variant] = vector;
    }
    return vector;
  }

  /** Variants that can give this much of the resource at `i`. */
  withAtLeast(i: number, amount: number): BitSet {
    return this.#levels[i]!.atLeast(amount);
  }

  /** The most any of these variants can give of the resource at `i`; they must not be empty. */
  most(i: number, variants: BitSet): number {
    return this.#levels[i]!.largest(variants)!;
  }

  /** Whether an offering of this kind is one a node with these requirements may be bought by. */
  isOffered(kind: number, set: RequirementSet): boolean {
    return this.#sets.accepts(set, this.#kindSets[kind]!, 'loosely');
  }

  /** The types in order of their price for a node with these requirements. */
  priceOrder(set: RequirementSet): PriceOrder {
    return this.catalogue.priceOrder(this.supply(set).kinds);
  }

  #work(set: RequirementSet): Supply {
    const compatible = BitSet.upTo(this.catalogue.typeOf.length);
    for (const requirement of set.ids) compatible.intersect(this.#compatibleWith(requirement));
    const kinds = this.#kindSets.map((_, kind) => kind).filter((kind) => this.isOffered(kind, set));
    const offered = new BitSet(this.catalogue.typeOf.length);
    for (const kind of kinds) offered.unite(this.catalogue.kinds[kind]!.variants);
    const usable = compatible.clone();
    usable.intersect(offered);
    usable.intersect(this.catalogue.sound);
    return { compatible, offered, usable, kinds };
  }

  /** Variants whose type has a value for this requirement, or says nothing about its label. */
  #compatibleWith(requirement: RequirementId): BitSet {
    let answer = this.#compatible[requirement];
    if (answer === undefined) {
      const { table } = this.#sets;
      const asked = table.get(requirement);
      answer = BitSet.upTo(this.catalogue.typeOf.length);
      for (const { requirement: declared, variants } of this.catalogue.declarations(asked.key)) {
        const isPlain = !declared.complement && declared.values.size > 0; // as nearly all are: no need to intersect
        const isMet = isPlain
          ? declared.values.values().some((value) => admits(declared, value) && admits(asked, value))
          : table.areCompatible(table.intern(declared), requirement);
        if (!isMet) answer.subtract(variants);
      }
      this.#compatible[requirement] = answer;
    }
    return answer;
  }
}
