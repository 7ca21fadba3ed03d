import { TypeLists } from '../model/instance-types/type-list.ts';
import { InFlightNode } from '../packing/new-nodes/in-flight-node.ts';
import { finishNode } from '../packing/new-nodes/finished-node.ts';
import type { HistoryEntry } from '../packing/packer.ts';
import type { PlannedNode } from '../plan.ts';
import { IMPROVING, type Reading } from '../progress.ts';
import { auction } from './auction.ts';
import type { CostPool } from './cost-pool.ts';
import type { Effort } from './effort.ts';
import type { Inventory } from './inventory.ts';
import { lotClassesOf } from './lot-class.ts';
import { type Machine, machinesFor } from './machine.ts';
import { rearrange } from './rearrangement.ts';
import type { Purchase } from './round.ts';
import { fixedSeating, seatLoads, type Seating } from './seating.ts';
import { Tender } from './tender.ts';
import type { UpstreamRun } from './upstream-run.ts';

/** Other nodes for the same pods; or what of upstream's plan had better been left alone, if that is known. */
export type Attempt =
  | { readonly nodes: readonly PlannedNode[] }
  | { readonly culprits: ReadonlySet<InFlightNode> }
  | { readonly exceeded: CostPool };

/** How often a machine is filled, about, in the rounds that the effort should be enough for, times picks of a fill. */
const LOOKS_PER_MACHINE = 16;

/** How a search may divide its effort: so much for each of these stages of an attempt. */
export interface Shares {
  readonly whole: Effort;
  /** To find out where lots can run, and on which machines. */
  readonly machines: number;
  /** To find loads for them, once any were found; until then all that is left. */
  readonly loads: number;
}

/** Looks for cheaper nodes for all that may move, and puts every pod on them. */
export function* attempt(
  run: UpstreamRun,
  pools: readonly CostPool[],
  inventory: Inventory,
  { whole, ...shares }: Shares,
): Reading<Attempt> {
  const { lots, fixed } = inventory;
  const { sets, taints } = run.index.internTables;
  const { reservedCapacity } = run.index.options;
  const eligibility = { sets, taints, reservedCapacity };
  const classes = yield* lotClassesOf(lots.all, pools, eligibility, whole.part(shares.machines / 2));
  const machineEffort = { effort: whole.part(shares.machines), mostLooks: shares.loads / LOOKS_PER_MACHINE };
  const machines = yield* machinesFor(classes, pools, sets, machineEffort);
  const tender = new Tender({ lots: lots.all, machines: machines.all, hostRules: lots.hostRules.size });
  const homeless = tender.homeless();
  if (homeless.length > 0) return { culprits: new Set(homeless.flatMap(({ units }) => units.map(({ node }) => node))) };
  const found = yield* buy(tender, machines.shared, mostNodes(run, pools) - fixed.length, { whole, ...shares });
  if (found === undefined) return { culprits: new Set() };
  const seated = yield* seatLoads(found, inventory, { sets, reservedCapacity }, whole);
  if ('exceeded' in seated) return seated;
  const seatings = [...fixed.map((node) => fixedSeating(node, inventory)), ...seated.seatings];
  const rearranged = yield* rearrange(run, seatings, whole);
  return 'refused' in rearranged ? blame([rearranged.refused]) : yield* finish(run, seatings, rearranged.nodes);
}

/** What was bought, of which tender. */
interface Bought extends Purchase {
  readonly tender: Tender;
}

/**
 * The cheaper of two purchases: of shared machines only, on which classes can be mixed at will, and of all. Where few
 * classes can run on the same types, a search among all hardly ever comes to mixing them.
 */
function* buy(
  tender: Tender,
  shared: readonly Machine[] | undefined,
  mostMachines: number,
  { whole, loads }: Shares,
): Reading<Bought | undefined> {
  let first: Bought | undefined;
  if (shared !== undefined) {
    const sharing = new Tender({ ...tender, machines: shared });
    const part = whole.part(loads / 2);
    const bought = sharing.homeless().length === 0 ? yield* auction(sharing, mostMachines, part) : undefined;
    if (bought !== undefined) first = { ...bought, tender: sharing };
  }
  const part = whole.part(loads);
  const bought = yield* auction(tender, mostMachines, part, first === undefined ? whole : part);
  if (bought === undefined || (first !== undefined && first.costPerHour <= bought.costPerHour)) return first;
  return { ...bought, tender };
}

/** Those that upstream's plan opened in vain included. */
function mostNodes({ nodes, plan, packing }: UpstreamRun, pools: readonly CostPool[]): number {
  const extra = Math.ceil(packing.maxExtraNodes * plan.newNodes.length);
  const limits = pools.map(({ limits }) => limits?.nodesLeft() ?? Number.POSITIVE_INFINITY);
  const limit = limits.reduce((sum, left) => sum + left, 0);
  return Math.min(nodes.length + extra, limit);
}

/** The nodes as a plan has them, unless one has too few types to choose from. */
function* finish(
  { index }: UpstreamRun,
  seatings: readonly Seating[],
  nodes: readonly InFlightNode[],
): Reading<Attempt> {
  const { internTables, resources, options } = index;
  const tables = { sets: internTables.sets, resources, options, typeLists: new TypeLists(options.maxInstanceTypes) };
  const finished: PlannedNode[] = [];
  for (const [i, node] of nodes.entries()) {
    yield IMPROVING;
    const { source, leastTypes, guests } = seatings[i]!;
    const one = finishNode(node, tables);
    const isShort = 'shortOf' in one || (one.capacityTypes.includes('spot') && one.instanceTypes.length < leastTypes);
    if (!isShort) finished.push({ ...one, source });
    else if (source === 'cost-aware') return blame(guests); // else its pods have no place in upstream's plan either
  }
  return { nodes: finished };
}

function blame(entries: readonly HistoryEntry[]): Attempt {
  return { culprits: new Set(entries.map(({ on }) => on).filter((on) => on instanceof InFlightNode)) };
}
