import { TypeLists } from '../instance-types/type-list.ts';
import { OpenNode } from '../packing/open-node.ts';
import { finishNode } from '../packing/outcome.ts';
import type { HistoryEntry } from '../packing/packer.ts';
import type { PlannedNode } from '../plan.ts';
import { IMPROVING, type Reading } from '../progress.ts';
import { auction, type Effort } from './auction.ts';
import type { CostPool } from './cost-pool.ts';
import type { Inventory } from './inventory.ts';
import { lotClassesOf } from './lot-class.ts';
import { machinesFor } from './machine.ts';
import { rearrange } from './rearrangement.ts';
import { fixedSeating, seatLoads, type Seating } from './seating.ts';
import { Tender } from './tender.ts';
import type { UpstreamRun } from './upstream-run.ts';

/** Other nodes for the same pods; or what of upstream's plan had better been left alone, if that is known. */
export type Attempt =
  | { readonly nodes: readonly PlannedNode[] }
  | { readonly culprits: ReadonlySet<OpenNode> }
  | { readonly exceeded: CostPool };

/** Looks for cheaper nodes for all that may move, and puts every pod on them. */
export function* attempt(run: UpstreamRun, pools: readonly CostPool[], inventory: Inventory): Reading<Attempt> {
  const { lots, fixed } = inventory;
  const { sets, taints } = run.index.lexicon;
  const { reservedCapacity } = run.index.options;
  const classes = lotClassesOf(lots.all, pools, { sets, taints, reservedCapacity });
  const machines = yield* machinesFor(classes, pools, sets);
  const tender = new Tender({ lots: lots.all, machines, hostRules: lots.hostRules.size });
  const homeless = tender.homeless();
  if (homeless.length > 0) return { culprits: new Set(homeless.flatMap(({ units }) => units.map(({ node }) => node))) };
  const loads = yield* auction(tender, mostNodes(run, pools) - fixed.length, effortFor(tender));
  if (loads === undefined) return { culprits: new Set() };
  const seated = seatLoads(loads, tender, inventory, { sets, reservedCapacity });
  if ('exceeded' in seated) return seated;
  const seatings = [...fixed.map((node) => fixedSeating(node, inventory)), ...seated.seatings];
  const rearranged = yield* rearrange(run, seatings);
  return 'refused' in rearranged ? blame([rearranged.refused]) : yield* finish(run, seatings, rearranged.nodes);
}

/** Those that upstream's plan opened in vain included. */
function mostNodes({ nodes, plan, packing }: UpstreamRun, pools: readonly CostPool[]): number {
  const extra = Math.ceil(packing.maxExtraNodes * plan.newNodes.length);
  const limits = pools.map(({ limits }) => limits?.nodesLeft() ?? Number.POSITIVE_INFINITY);
  const limit = limits.reduce((sum, left) => sum + left, 0);
  return Math.min(nodes.length + extra, limit);
}

/** In proportion to the pods: about a tenth of a millisecond for each. Counted in steps, so it ends the same anywhere. */
function effortFor({ lots }: Tender): Effort {
  const pods = lots.reduce((sum, { units }) => sum + units.length * units[0]!.members.length, 0);
  return { steps: 100_000 + 1_200 * pods, rounds: 40, idleRounds: 20 };
}

/** The nodes as a plan has them, unless one has too few types to choose from. */
function* finish({ index }: UpstreamRun, seatings: readonly Seating[], nodes: readonly OpenNode[]): Reading<Attempt> {
  const { lexicon, resources, options } = index;
  const tables = { sets: lexicon.sets, resources, options, typeLists: new TypeLists(options.maxInstanceTypes) };
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
  return { culprits: new Set(entries.map(({ on }) => on).filter((on) => on instanceof OpenNode)) };
}
