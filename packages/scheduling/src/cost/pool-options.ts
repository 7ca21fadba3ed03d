import { BitSet } from '../model/interning/bit-set.ts';
import { variantsHolding } from '../packing/new-nodes/fitting-variants.ts';
import { IMPROVING, type Reading } from '../progress.ts';
import { withoutLastResorts } from '../model/instance-types/last-resorts.ts';
import { findShortages } from '../model/instance-types/min-values.ts';
import type { RequirementSets } from '../model/requirements/requirement-set.ts';
import type { ResourceVector } from '../model/resources/resource-table.ts';
import { commonRooms } from './common-room.ts';
import type { CostPool } from './cost-pool.ts';
import type { Effort } from './effort.ts';
import { type Item, withoutDominated } from './item.ts';
import type { PodGroup } from './pod-groups.ts';
import type { Eligibility, PodGroupClass } from './pod-group-class.ts';
import { type Selection, Selections } from './selection.ts';

/** Who may come, and what they need. */
export interface GroupDemand {
  readonly classes: readonly PodGroupClass[];
  /** Of all their units. */
  readonly total: ResourceVector;
  /** By class: the part of all that is asked for. */
  readonly weights: Float64Array;
  readonly sets: RequirementSets;
}

/** Some amount of room, and those of a set of variants that have as much. */
interface Box {
  readonly room: ResourceVector;
  /** Among which a launch chooses: no last resorts where there are others. */
  readonly variants: BitSet;
  readonly types: number;
  /** Whether these are varied enough for the pool's `minValues`. */
  readonly isVaried: boolean;
}

/** Ways to buy that are open to the same classes. */
interface OfferingGroup {
  readonly takers: ReadonlySet<number>;
  readonly kinds: number[];
}

/** What it takes to look at one type's room, to find what it has in common with others, to find the types that have some
 * room, and to find out what a room costs. */
const STEPS_PER_ROOM = 12;
const STEPS_PER_STAIR = 40;
const STEPS_PER_BOX = 30;
const STEPS_PER_ITEM = 30;

/**
 * What a pool has to offer to classes of pod groups.
 *
 * A node is not bought as one type but as any of all that could hold its pods. So an item is not a type, but room that
 * some types have, at the price of the cheapest of them. It is for pod groups that may be on all of these types, and to
 * whom these are enough to choose from. Last resorts are asked for in vain where other types would do: so they do not count
 * beside others, and have items of their own.
 */
export class PoolOptions {
  readonly pool: CostPool;
  readonly selections: Selections;
  readonly #demand: GroupDemand;
  readonly #effort: Effort;
  /** By class. */
  readonly #eligible: readonly (Eligibility | undefined)[];
  readonly #offeringGroups: readonly OfferingGroup[];
  /** By pod group: whether it needs a last resort. */
  readonly #inNeed = new Map<number, boolean>();

  constructor(pool: CostPool, demand: GroupDemand, effort: Effort) {
    this.pool = pool;
    this.#demand = demand;
    this.#effort = effort;
    this.#eligible = demand.classes.map(({ eligibility }) => eligibility.get(pool));
    this.#offeringGroups = this.#findOfferingGroups();
    this.selections = new Selections(pool, demand.classes, demand.weights, effort);
  }

  /** What is to be had of a selection, without what another item of it beats. */
  *itemsOf({ variants: all, takers }: Pick<Selection, 'variants' | 'takers'>): Reading<readonly Item[]> {
    const items: Item[] = [];
    const variants = this.#withoutLastResorts(all);
    const { total } = this.#demand;
    const rooms = [...variants].map((variant) => this.pool.room(variant).map((a, r) => Math.min(a, total[r]!)));
    this.#effort.spend(STEPS_PER_ROOM * rooms.length);
    const boxes = new Map<string, Box>();
    for (const leastTypes of new Set(takers.map((c) => this.#eligible[c]!.leastTypes))) {
      const common = leastTypes > 1 ? commonRooms(rooms, leastTypes) : [];
      if (leastTypes > 1) this.#effort.spend(STEPS_PER_STAIR * rooms.length + STEPS_PER_ROOM * common.length);
      const enough: Box[] = [];
      for (const [text, room] of new Map([...rooms, ...common].map((one) => [one.join(), one]))) {
        if (this.#effort.isPauseDue()) yield IMPROVING;
        const box = boxes.get(text) ?? this.#box(room, variants);
        boxes.set(text, box);
        if (box.isVaried && box.types >= leastTypes) enough.push(box);
      }
      for (const offeringGroup of this.#offeringGroups) {
        const takes = takers.filter((c) => offeringGroup.takers.has(c) && this.#eligible[c]!.leastTypes <= leastTypes);
        this.#effort.spend(takers.length);
        if (takes.length === 0) continue;
        items.push(...(yield* withoutDominated(this.#itemsFor(enough, offeringGroup.kinds, takes), this.#effort)));
      }
    }
    return items;
  }

  /**
   * What is to be had of last resorts for pod groups of this class that need them; `made` are the sets of variants from
   * which there are such items already.
   */
  *lastResortItemsFor(c: number, made: Set<string>): Reading<readonly Item[]> {
    const variants = this.#eligible[c]?.variants.clone();
    this.#effort.spend(this.#eligible.length);
    if (variants?.intersect(this.pool.template.market.catalogue.lastResorts) !== true) return [];
    const text = variants.text();
    if (made.has(text)) return [];
    made.add(text);
    const takers = [...this.#eligible.keys()].filter((other) => this.#eligible[other]?.variants.includes(variants));
    return yield* this.itemsOf({ variants, takers });
  }

  /** Numbers of these pod groups, as far as they are of this class, for which only last resorts of the pool would do. */
  inNeedOfLastResorts(c: number, groups: readonly PodGroup[]): readonly number[] {
    const own = new Set(this.#demand.classes[c]!.groups);
    this.#effort.spend(groups.length);
    return groups.filter((group) => own.has(group) && this.#needsLastResort(group, c)).map(({ id }) => id);
  }

  #needsLastResort({ id, requests }: PodGroup, c: number): boolean {
    let needs = this.#inNeed.get(id);
    if (needs === undefined) {
      this.#effort.spend(STEPS_PER_BOX);
      const others = this.#othersFor(c);
      needs = variantsHolding(others, this.pool.template, { requests, ports: [], avoided: [] }).isEmpty();
      this.#inNeed.set(id, needs);
    }
    return needs;
  }

  /** What a class can run on, and be bought as, besides last resorts. */
  #othersFor(c: number): BitSet {
    const { catalogue } = this.pool.template.market;
    const { variants, kinds } = this.#eligible[c]!;
    const others = new BitSet(catalogue.typeOf.length);
    for (const kind of kinds) others.unite(catalogue.kinds[kind]!.variants);
    others.intersect(variants);
    others.subtract(catalogue.lastResorts);
    return others;
  }

  #withoutLastResorts(variants: BitSet): BitSet {
    const { set, market } = this.pool.template;
    return withoutLastResorts(variants, set, market.catalogue);
  }

  /** Room of just the size of a unit, for a pod group to whom types are too few or too different to have more in common. */
  itemsFor({ requests }: PodGroup, c: number): readonly Item[] {
    const eligible = this.#eligible[c];
    if (eligible === undefined) return [];
    const { variants, leastTypes } = eligible;
    const box = this.#box(requests, variants);
    if (!box.isVaried || box.types < leastTypes) return [];
    this.#effort.spend(this.#eligible.length);
    const takers = [...this.#eligible.keys()].filter((other) => {
      const one = this.#eligible[other];
      return one !== undefined && one.leastTypes <= leastTypes && one.variants.includes(variants);
    });
    return this.#offeringGroups
      .filter((offeringGroup) => offeringGroup.takers.has(c))
      .flatMap(({ kinds, takers: open }) =>
        this.#itemsFor(
          [box],
          kinds,
          takers.filter((other) => open.has(other)),
        ),
      );
  }

  #findOfferingGroups(): readonly OfferingGroup[] {
    const offeringGroups = new Map<string, OfferingGroup>();
    const takersOf = new Map<number, number[]>(
      [...this.pool.template.market.catalogue.kinds.keys()].map((kind) => [kind, []]),
    );
    for (const [c, eligible] of this.#eligible.entries()) {
      this.#effort.spend(1 + (eligible?.kinds.length ?? 0));
      for (const kind of eligible?.kinds ?? []) takersOf.get(kind)!.push(c);
    }
    for (const [kind, takers] of takersOf) {
      const known = offeringGroups.get(takers.join());
      if (known !== undefined) known.kinds.push(kind);
      else if (takers.length > 0) offeringGroups.set(takers.join(), { takers: new Set(takers), kinds: [kind] });
    }
    return [...offeringGroups.values()];
  }

  #itemsFor(boxes: readonly Box[], kinds: readonly number[], classes: readonly number[]): readonly Item[] {
    const { set, market } = this.pool.template;
    const { catalogue } = market;
    const { variants: byPrice, prices } = catalogue.priceOrder(kinds);
    const offered = new BitSet(catalogue.typeOf.length);
    for (const kind of kinds) offered.unite(catalogue.kinds[kind]!.variants);
    const takes = new BitSet(this.#demand.classes.length);
    for (const c of classes) takes.add(c);
    const items: Item[] = [];
    for (const { room, variants } of boxes) {
      const at = byPrice.findIndex((one) => variants.has(one) && offered.has(one));
      this.#effort.spend(STEPS_PER_ITEM + (at >= 0 ? at : byPrice.length) / 8);
      if (at < 0) continue;
      const variant = byPrice[at]!;
      const costPerHour = prices[catalogue.typeOf[variant]!]! + this.pool.terms.nodeFeePerHour;
      const isLastResort = !set.hasMinValues && catalogue.lastResorts.has(variant);
      items.push({ pool: this.pool, variant, costPerHour, room, takes, isLastResort });
    }
    return items;
  }

  #box(room: ResourceVector, from: BitSet): Box {
    const { template } = this.pool;
    const { catalogue } = template.market;
    const holding = variantsHolding(from, template, { requests: room, ports: [], avoided: [] });
    const variants = this.#withoutLastResorts(holding);
    const { set } = template;
    this.#effort.spend((set.hasMinValues ? 4 : 1) * STEPS_PER_BOX);
    const isVaried = !set.hasMinValues || findShortages(set, this.#demand.sets, catalogue, variants).length === 0;
    return { room, variants, types: catalogue.countTypes(variants, variants), isVaried };
  }
}
