import { BitSet } from '../interning/bit-set.ts';
import { variantsHolding } from '../packing/fitting-variants.ts';
import { findShortages } from '../requirements/min-values.ts';
import type { RequirementSets } from '../requirements/requirement-set.ts';
import type { ResourceVector } from '../resources/resource-table.ts';
import { commonRooms } from './common-room.ts';
import type { CostPool } from './cost-pool.ts';
import type { Lot } from './lot.ts';
import type { Eligibility, LotClass } from './lot-class.ts';

/** Room to be had from a pool, what it costs and who may use it. */
export interface Item {
  readonly pool: CostPool;
  /** The cheapest that has so much room. */
  readonly variant: number;
  /** With the pool's fee for a node. */
  readonly costPerHour: number;
  readonly room: ResourceVector;
  /** Numbers of the classes of lots that may be on it. */
  readonly takes: BitSet;
}

/** Who may come, and what they need. */
export interface Customers {
  readonly classes: readonly LotClass[];
  /** Of all their units. */
  readonly total: ResourceVector;
  /** Lots that need room of just their size, because types are too few or too different to have more in common. */
  readonly misfits: ReadonlySet<Lot>;
  readonly sets: RequirementSets;
}

/** Some amount of room, and those of a set of variants that have as much. */
interface Box {
  readonly room: ResourceVector;
  readonly variants: BitSet;
  readonly types: number;
  /** Whether these are varied enough for the pool's `minValues`. */
  readonly isVaried: boolean;
}

/** Ways to buy that are open to the same classes. */
interface Counter {
  readonly takers: readonly number[];
  readonly kinds: number[];
}

/**
 * What a pool has to offer to classes of lots.
 *
 * A node is not bought as one type but as any of all that could hold its pods. So an item is not a type, but room that some
 * types have, at the price of the cheapest of them. It is for lots that may be on all of these types, and to whom these are
 * enough to choose from.
 */
export class Shelf {
  readonly #pool: CostPool;
  readonly #classes: readonly LotClass[];
  readonly #sets: RequirementSets;
  /** By class. */
  readonly #eligible: readonly (Eligibility | undefined)[];
  /** Of all units of all lots: more room is no use. */
  readonly #total: ResourceVector;
  readonly #misfits: ReadonlySet<Lot>;
  readonly #boxes = new Map<string, readonly Box[]>();

  constructor(pool: CostPool, { classes, total, misfits, sets }: Customers) {
    this.#pool = pool;
    this.#classes = classes;
    this.#sets = sets;
    this.#eligible = classes.map(({ eligibility }) => eligibility.get(pool));
    this.#total = total;
    this.#misfits = misfits;
  }

  /** In batches, within each of which all items are open to the same classes. */
  *batches(): Generator<readonly Item[]> {
    for (const { takers, kinds } of this.#counters()) {
      const eligible = takers.map((c) => this.#eligible[c]!);
      const levels = new Set(eligible.map(({ leastTypes }) => leastTypes));
      for (const variants of new Map(eligible.map((one) => [one.variants.text(), one.variants])).values()) {
        for (const leastTypes of levels) {
          const takes = new BitSet(this.#classes.length);
          for (const c of takers) if (this.#isFor(c, variants, leastTypes)) takes.add(c);
          yield this.#itemsFor(
            this.#boxesOf(variants).filter(({ types, isVaried }) => isVaried && types >= leastTypes),
            kinds,
            takes,
          );
        }
      }
    }
  }

  #isFor(c: number, variants: BitSet, types: number): boolean {
    const eligible = this.#eligible[c]!;
    return eligible.leastTypes <= types && eligible.variants.includes(variants);
  }

  #counters(): readonly Counter[] {
    const counters = new Map<string, Counter>();
    for (const kind of this.#pool.template.market.catalogue.kinds.keys()) {
      const takers = [...this.#classes.keys()].filter((c) => this.#eligible[c]?.kinds.includes(kind));
      const known = counters.get(takers.join());
      if (known !== undefined) known.kinds.push(kind);
      else if (takers.length > 0) counters.set(takers.join(), { takers, kinds: [kind] });
    }
    return [...counters.values()];
  }

  #itemsFor(boxes: readonly Box[], kinds: readonly number[], takes: BitSet): readonly Item[] {
    const { catalogue } = this.#pool.template.market;
    const { variants: byPrice, prices } = catalogue.priceOrder(kinds);
    const offered = new BitSet(catalogue.typeOf.length);
    for (const kind of kinds) offered.unite(catalogue.kinds[kind]!.variants);
    const items: Item[] = [];
    for (const { room, variants } of boxes) {
      const variant = byPrice.find((one) => variants.has(one) && offered.has(one));
      if (variant === undefined) continue;
      const costPerHour = prices[catalogue.typeOf[variant]!]! + this.#pool.terms.nodeFeePerHour;
      items.push({ pool: this.#pool, variant, costPerHour, room, takes });
    }
    return items;
  }

  /** The rooms of these variants, what enough of them have in common, and just enough for one unit of each misfit. */
  #boxesOf(variants: BitSet): readonly Box[] {
    const text = variants.text();
    let boxes = this.#boxes.get(text);
    if (boxes === undefined) {
      const own = [...this.#classes.keys()].filter((c) => this.#eligible[c]?.variants.text() === text);
      const units = own.flatMap((c) => this.#classes[c]!.lots.filter((lot) => this.#misfits.has(lot)));
      const rooms = [...variants].map((variant) =>
        this.#pool.room(variant).map((a, r) => Math.min(a, this.#total[r]!)),
      );
      const levels = new Set(own.map((c) => this.#eligible[c]!.leastTypes).filter((types) => types > 1));
      const common = [...levels].flatMap((types) => commonRooms(rooms, types));
      const all = [...rooms, ...common, ...units.map(({ requests }) => requests)];
      boxes = [...new Map(all.map((room) => [room.join(), room])).values()].map((room) => this.#box(room, variants));
      this.#boxes.set(text, boxes);
    }
    return boxes;
  }

  #box(room: ResourceVector, from: BitSet): Box {
    const { template } = this.#pool;
    const { catalogue } = template.market;
    const variants = variantsHolding(from, template, { requests: room, ports: [] });
    const { set } = template;
    const isVaried = !set.hasMinValues || findShortages(set, this.#sets, catalogue, variants).length === 0;
    return { room, variants, types: catalogue.countTypes(variants, variants), isVaried };
  }
}
