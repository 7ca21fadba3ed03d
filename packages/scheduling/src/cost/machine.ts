import { BitSet } from '../interning/bit-set.ts';
import { IMPROVING, type Reading } from '../progress.ts';
import type { RequirementSets } from '../requirements/requirement-set.ts';
import type { ResourceVector } from '../resources/resource-table.ts';
import { compareRooms } from './common-room.ts';
import type { CostPool } from './cost-pool.ts';
import type { Lot } from './lot.ts';
import type { LotClass } from './lot-class.ts';
import { type Customers, type Item, Shelf } from './shelf.ts';

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

/**
 * The machines worth considering, cheapest first: none beside which another is as large, takes the same lots and costs no
 * more. Of 250 types in three zones a few dozen are left.
 */
export function* machinesFor(
  classes: readonly LotClass[],
  pools: readonly CostPool[],
  sets: RequirementSets,
): Reading<readonly Machine[]> {
  const customers = { classes, total: totalOf(classes), misfits: new Set<Lot>(), sets };
  const machines = yield* machinesOf(pools, customers);
  const housed = new BitSet();
  for (const { lots } of machines) for (const lot of lots) housed.add(lot);
  const misfits = new Set(classes.flatMap(({ lots }) => lots).filter(({ id }) => !housed.has(id)));
  return misfits.size === 0 ? machines : yield* machinesOf(pools, { ...customers, misfits });
}

function* machinesOf(pools: readonly CostPool[], customers: Customers): Reading<readonly Machine[]> {
  const items: Item[] = [];
  for (const pool of pools.filter(({ isOpen }) => isOpen)) {
    for (const batch of new Shelf(pool, customers).batches()) {
      items.push(...withoutDominated(batch));
      yield IMPROVING;
    }
  }
  const machines: Machine[] = [];
  for (const { takes, ...rest } of withoutDominated(items)) {
    const lots = customers.classes.filter((_, c) => takes.has(c)).flatMap((one) => one.lots);
    const fitting = lots.filter(({ requests }) => covers(rest.room, requests));
    machines.push({ ...rest, lots: Int32Array.from(fitting, ({ id }) => id).sort() });
    yield IMPROVING;
  }
  return machines;
}

/** Of all their units. */
function totalOf(classes: readonly LotClass[]): ResourceVector {
  const lots = classes.flatMap((one) => one.lots);
  const total = new Float64Array(lots[0]!.requests.length);
  for (const { requests, units } of lots) {
    for (let r = 0; r < total.length; r++) total[r]! += units.length * requests[r]!;
  }
  return total;
}

function withoutDominated(items: readonly Item[]): readonly Item[] {
  const kept: Item[] = [];
  for (const item of items.toSorted(compareItems)) {
    if (!kept.some(({ room, takes }) => covers(room, item.room) && takes.includes(item.takes))) kept.push(item);
  }
  return kept;
}

/** By cost, the larger first, then by what does not depend on the order of the input. */
function compareItems(a: Item, b: Item): number {
  return (
    a.costPerHour - b.costPerHour ||
    compareRooms(b.room, a.room) ||
    b.takes.count() - a.takes.count() ||
    a.pool.rank - b.pool.rank ||
    compareText(nameOf(a), nameOf(b)) ||
    compareText(a.takes.text(), b.takes.text())
  );
}

function nameOf({ pool, variant }: Item): string {
  const { types, typeOf } = pool.template.market.catalogue;
  return types[typeOf[variant]!]!.name;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : +(a > b);
}

function covers(room: ResourceVector, amounts: ResourceVector): boolean {
  for (let r = 0; r < amounts.length; r++) if (amounts[r]! > room[r]!) return false;
  return true;
}
