import { BitSet } from '../model/interning/bit-set.ts';
import { IMPROVING, type Reading } from '../progress.ts';
import type { RequirementSets } from '../model/requirements/requirement-set.ts';
import type { ResourceVector } from '../model/resources/resource-table.ts';
import type { CostPool } from './cost-pool.ts';
import type { Effort } from './effort.ts';
import { covers, type Item, withoutDominated } from './item.ts';
import type { Lot } from './lot.ts';
import type { LotClass } from './lot-class.ts';
import { type Customers, Shelf } from './shelf.ts';

/** A machine that can be bought. */
export interface Machine {
  readonly pool: CostPool;
  /** What it will be if it is bought as cheaply as can be. */
  readonly variant: number;
  /** With the pool's fee for a node. */
  readonly costPerHour: number;
  readonly room: ResourceVector;
  /** Numbers of the lots that may be on it and of which a unit fits, ascending. */
  readonly lots: Int32Array;
}

/** Machines to search among. */
export interface MachineLists {
  /** Of types that as many classes as possible have in common; `undefined` if each class can run on what another can. */
  readonly shared: readonly Machine[] | undefined;
  readonly all: readonly Machine[];
}

/** How much of the effort may be spent on machines, and how many lots may be looked at to fill each of them once. */
export interface MachineEffort {
  readonly effort: Effort;
  readonly mostLooks: number;
}

/**
 * The machines worth considering, cheapest first: none beside which another is as large, takes the same lots and costs no
 * more. Of 250 types in three zones a few dozen are left. When the effort is used up, those found by then are all.
 */
export function* machinesFor(
  classes: readonly LotClass[],
  pools: readonly CostPool[],
  sets: RequirementSets,
  { effort, mostLooks }: MachineEffort,
): Reading<MachineLists> {
  const customers = customersOf(classes, sets);
  const shelves = differentPools(classes, pools, effort).map((pool) => new Shelf(pool, customers, effort));
  const covering: Item[] = [];
  let hasShared = false;
  for (const shelf of shelves) {
    for (const selection of shelf.selections.covering()) {
      if (effort.isUsedUp) break;
      hasShared ||= selection.isShared;
      covering.push(...(yield* shelf.itemsOf(selection)));
    }
  }
  const shared = hasShared ? yield* machinesOf(covering, classes, effort) : undefined;
  const items = [...covering];
  let looks = looksAt(covering, classes);
  for (const shelf of shelves) {
    for (const selection of shelf.selections.others()) {
      if (effort.isUsedUp || looks > mostLooks) break;
      const more = yield* shelf.itemsOf(selection);
      looks += looksAt(more, classes);
      items.push(...more);
    }
  }
  const all = yield* machinesOf(items, classes, effort);
  const exact = yield* itemsForMisfits(all, classes, shelves, effort);
  return { shared, all: exact.length === 0 ? all : yield* machinesOf([...items, ...exact], classes, effort) };
}

/** How many lots are looked at to fill each of these once. */
function looksAt(items: readonly Item[], classes: readonly LotClass[]): number {
  const lotsOf = new Map<BitSet, number>();
  let looks = 0;
  for (const { takes } of items) {
    let lots = lotsOf.get(takes);
    if (lots === undefined) {
      lots = [...takes].reduce((sum, c) => sum + classes[c]!.lots.length, 0);
      lotsOf.set(takes, lots);
    }
    looks += lots;
  }
  return looks;
}

/** Open pools, without those that offer nothing but what one before them does. */
function differentPools(classes: readonly LotClass[], pools: readonly CostPool[], effort: Effort): readonly CostPool[] {
  const numbers = new Map<unknown, number>();
  const numberOf = (what: unknown): number => {
    if (!numbers.has(what)) numbers.set(what, numbers.size);
    return numbers.get(what)!;
  };
  const different = new Map<string, CostPool>();
  for (const pool of pools.filter(({ isOpen }) => isOpen)) {
    const { template, terms } = pool;
    const eligible = classes.map(({ eligibility }) => {
      effort.spend(2);
      const one = eligibility.get(pool);
      return one === undefined ? '' : numberOf(`${one.text} ${one.kinds.join()} ${one.leastTypes}`);
    });
    const overhead = template.overheadGroups.map(({ vector, variants }) => `${vector.join()} ${variants.text()}`);
    const varied = template.set.hasMinValues ? pool.rank : '';
    const text = [numberOf(template.market.catalogue), terms.nodeFeePerHour, varied, ...overhead, ...eligible].join(
      '/',
    );
    if (!different.has(text)) different.set(text, pool);
  }
  return [...different.values()];
}

function* machinesOf(
  items: readonly Item[],
  classes: readonly LotClass[],
  effort: Effort,
): Reading<readonly Machine[]> {
  const machines: Machine[] = [];
  const lotsOf = new Map<BitSet, readonly Lot[]>();
  for (const { takes, ...rest } of yield* withoutDominated(items, effort)) {
    const lots = lotsOf.get(takes) ?? [...takes].flatMap((c) => classes[c]!.lots);
    lotsOf.set(takes, lots);
    effort.spend(1 + lots.length / 2);
    if (effort.isPauseDue()) yield IMPROVING;
    const fitting = lots.filter(({ requests }) => covers(rest.room, requests));
    machines.push({ ...rest, lots: Int32Array.from(fitting, ({ id }) => id).sort() });
  }
  return machines;
}

/** For lots that none of the machines takes. */
function* itemsForMisfits(
  machines: readonly Machine[],
  classes: readonly LotClass[],
  shelves: readonly Shelf[],
  effort: Effort,
): Reading<readonly Item[]> {
  const housed = new BitSet();
  for (const { lots } of machines) for (const lot of lots) housed.add(lot);
  const items: Item[] = [];
  for (const [c, { lots }] of classes.entries()) {
    for (const lot of lots) {
      if (housed.has(lot.id) || effort.isUsedUp) continue;
      if (effort.isPauseDue()) yield IMPROVING;
      for (const shelf of shelves) items.push(...shelf.itemsFor(lot, c));
    }
  }
  return items;
}

function customersOf(classes: readonly LotClass[], sets: RequirementSets): Customers {
  const totals = classes.map(({ lots }) => totalOf(lots));
  const total = new Float64Array(totals[0]!.length);
  for (const amounts of totals) for (let r = 0; r < total.length; r++) total[r]! += amounts[r]!;
  const weights = Float64Array.from(totals, (amounts) =>
    amounts.reduce((sum, amount, r) => sum + (amount > 0 ? amount / total[r]! : 0), 0),
  );
  return { classes, total, weights, sets };
}

/** Of all units of these lots. */
function totalOf(lots: readonly Lot[]): ResourceVector {
  const total = new Float64Array(lots[0]!.requests.length);
  for (const { requests, units } of lots) {
    for (let r = 0; r < total.length; r++) total[r]! += units.length * requests[r]!;
  }
  return total;
}
