import type { BitSet } from '../model/interning/bit-set.ts';
import type { CostPool } from './cost-pool.ts';
import type { Effort } from './effort.ts';
import type { PodGroupClass } from './pod-group-class.ts';

/** Variants of a pool to choose a node option from, and the numbers of the classes that may be on all of them. */
export interface Selection {
  readonly variants: BitSet;
  /** Ascending. */
  readonly takers: readonly number[];
  /** Whether these are fewer than any one of the classes could be on: only what several of them have in common. */
  readonly isShared: boolean;
}

/** Classes with the same variants and the same ways to buy them. */
interface Peers {
  readonly variants: BitSet;
  readonly text: string;
  readonly kinds: ReadonlySet<number>;
  readonly classes: number[];
  /** The most types that any of them must have to choose from. */
  leastTypes: number;
  /** How much they ask for of all that is asked for. */
  weight: number;
}

/** How many words of a bit set are looked at in one step. */
const WORDS_PER_STEP = 8;

/**
 * The selections of one pool: what each class can run on, and what several of them have in common. Of *n* different sets
 * there could be 2^n intersections; one is made for each set, with as many others as leave something to choose from, those
 * that ask for most first.
 */
export class Selections {
  readonly #pool: CostPool;
  readonly #effort: Effort;
  /** Those that ask for most first. */
  readonly #peers: readonly Peers[];
  readonly #made = new Set<string>();
  readonly #stepsPerSet: number;

  constructor(pool: CostPool, classes: readonly PodGroupClass[], weights: Float64Array, effort: Effort) {
    this.#pool = pool;
    this.#effort = effort;
    this.#stepsPerSet = 1 + Math.ceil(pool.template.market.catalogue.typeOf.length / 32 / WORDS_PER_STEP);
    const peers = new Map<string, Peers>();
    for (const [c, { eligibility }] of classes.entries()) {
      const eligible = eligibility.get(pool);
      effort.spend(1);
      if (eligible === undefined) continue;
      const { variants, text, kinds, leastTypes } = eligible;
      const key = `${text} ${kinds.join()}`;
      const known = peers.get(key);
      if (known === undefined) {
        peers.set(key, { variants, text, kinds: new Set(kinds), classes: [c], leastTypes, weight: weights[c]! });
        continue;
      }
      known.classes.push(c);
      known.leastTypes = Math.max(known.leastTypes, leastTypes);
      known.weight += weights[c]!;
    }
    this.#peers = [...peers.values()].sort((a, b) => b.weight - a.weight);
  }

  /** Enough of them that each class takes one. */
  *covering(): Generator<Selection> {
    const covered = new Set<number>();
    for (const peers of this.#peers) {
      if (covered.has(peers.classes[0]!)) continue;
      const selection = this.#selectionOf(this.#commonWith(peers));
      if (selection === undefined) continue;
      for (const c of selection.takers) covered.add(c);
      yield selection;
    }
  }

  /** The rest: what each can run on, then what each has in common with others. */
  *others(): Generator<Selection> {
    for (const variantsOf of [({ variants }: Peers) => variants, (peers: Peers) => this.#commonWith(peers)]) {
      for (const peers of this.#peers) {
        const selection = this.#selectionOf(variantsOf(peers));
        if (selection !== undefined) yield selection;
      }
    }
  }

  /** Unless it was made before. */
  #selectionOf(variants: BitSet): Selection | undefined {
    const text = variants.text();
    this.#effort.spend(this.#stepsPerSet * WORDS_PER_STEP);
    if (this.#made.has(text)) return undefined;
    this.#made.add(text);
    this.#effort.spend(this.#stepsPerSet * this.#peers.length);
    const open = this.#peers.filter((peers) => peers.variants.includes(variants));
    const takers = open.flatMap(({ classes }) => classes).sort((a, b) => a - b);
    return { variants, takers, isShared: open.every((peers) => peers.text !== text) };
  }

  /** What classes can run on together with as many others as leave enough types, and a way to buy them. */
  #commonWith(first: Peers): BitSet {
    const { catalogue } = this.#pool.template.market;
    let { variants, kinds, leastTypes } = first;
    for (const other of this.#peers) {
      this.#effort.spend(this.#stepsPerSet);
      const common = kinds.intersection(other.kinds);
      if (common.size === 0) continue;
      const least = Math.max(leastTypes, other.leastTypes, 1);
      if (!other.variants.includes(variants)) {
        this.#effort.spend(2 * this.#stepsPerSet);
        if (catalogue.countTypes(variants, other.variants) < least) continue;
        variants = variants.clone();
        variants.intersect(other.variants);
      }
      kinds = common;
      leastTypes = least;
    }
    return variants;
  }
}
