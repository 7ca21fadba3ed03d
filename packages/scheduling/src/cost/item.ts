import type { BitSet } from '../model/interning/bit-set.ts';
import { IMPROVING, type Reading } from '../progress.ts';
import type { ResourceVector } from '../model/resources/resource-table.ts';
import { compareRooms } from './common-room.ts';
import type { CostPool } from './cost-pool.ts';
import type { Effort } from './effort.ts';

/** Room to be had from a pool, what it costs and who may use it. */
export interface Item {
  readonly pool: CostPool;
  /** The cheapest that has so much room. */
  readonly variant: number;
  /** With the pool's fee for a node. */
  readonly costPerHour: number;
  readonly room: ResourceVector;
  /** Numbers of the classes of pod groups that may be on it. Items of one batch share the set. */
  readonly takes: BitSet;
  /** Whether a launch buys it only for pod groups that none of the pool's other types would do for. */
  readonly isLastResort: boolean;
}

/** How many items are compared in one step. */
const ITEMS_PER_STEP = 4;

/** Items none of which another is as large as, takes the same pod groups as and costs no more than; cheapest first. */
export function* withoutDominated(items: readonly Item[], effort: Effort): Reading<readonly Item[]> {
  const kept: Item[] = [];
  const keptByTakes = new Map<BitSet, Item[]>();
  const supersets = new Map<BitSet, BitSet[]>();
  effort.spend(items.length);
  for (const item of items.toSorted(compareItems)) {
    if (effort.isPauseDue()) yield IMPROVING;
    const own = keptByTakes.get(item.takes);
    if (own === undefined) {
      // A set that comes later is not smaller than one it includes, unless they cost the same: so both ways are looked at.
      effort.spend(keptByTakes.size);
      for (const [takes, larger] of supersets) if (item.takes.includes(takes)) larger.push(item.takes);
      supersets.set(item.takes, [item.takes, ...[...keptByTakes.keys()].filter((takes) => takes.includes(item.takes))]);
      keptByTakes.set(item.takes, []);
    }
    if (supersets.get(item.takes)!.some((takes) => isCovered(item, keptByTakes.get(takes)!, effort))) continue;
    kept.push(item);
    keptByTakes.get(item.takes)!.push(item);
  }
  return kept;
}

function isCovered(item: Item, by: readonly Item[], effort: Effort): boolean {
  effort.spend(1 + by.length / ITEMS_PER_STEP);
  for (const other of by) if (covers(other.room, item.room) && canReplace(other, item)) return true;
  return false;
}

/** Pools differ in which pod groups need their last resorts. */
function canReplace(other: Item, { isLastResort, pool }: Item): boolean {
  return !other.isLastResort || (isLastResort && other.pool === pool);
}

/** Whether there is as much of every resource. */
export function covers(room: ResourceVector, amounts: ResourceVector): boolean {
  for (let r = 0; r < amounts.length; r++) if (amounts[r]! > room[r]!) return false;
  return true;
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
