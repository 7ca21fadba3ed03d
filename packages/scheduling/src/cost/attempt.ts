import { TypeLists } from '../model/instance-types/type-list.ts';
import { InFlightNode } from '../packing/new-nodes/in-flight-node.ts';
import { finishNode } from '../packing/new-nodes/finished-node.ts';
import type { HistoryEntry } from '../packing/packer.ts';
import { launchChoices, type PlannedNode } from '../plan.ts';
import { IMPROVING, type Reading } from '../progress.ts';
import { searchPrices } from './price-search.ts';
import type { CostPool } from './cost-pool.ts';
import { type Effort, pauseAfter } from './effort.ts';
import type { Inventory } from './inventory.ts';
import { podGroupClassesOf } from './pod-group-class.ts';
import { type NodeOption, nodeOptionsFor } from './node-options.ts';
import { exclusiveNeeds } from './exclusive-needs.ts';
import { rearrange } from './rearrangement.ts';
import type { Purchase } from './round.ts';
import { fixedAssignment, assignLoads, type NodeAssignment } from './node-assignment.ts';
import { PackingProblem } from './packing-problem.ts';
import type { UpstreamRun } from './upstream-run.ts';

/** Other nodes for the same pods; or what of upstream's plan had better been left alone, if that is known. */
export type Attempt =
  | { readonly nodes: readonly PlannedNode[] }
  | { readonly culprits: ReadonlySet<InFlightNode> }
  | { readonly exceeded: CostPool };

/** How often a node option is filled, about, in the rounds that the effort should be enough for, times picks of a fill. */
const LOOKS_PER_OPTION = 16;

/** How a search may divide its effort: so much for each of these stages of an attempt. */
export interface Shares {
  readonly whole: Effort;
  /** To find out where pod groups can run, and on which node options. */
  readonly options: number;
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
  const { groups, fixed } = inventory;
  const { sets, taints } = run.index.internTables;
  const { reservedCapacity } = run.index.options;
  const eligibility = { sets, taints, reservedCapacity };
  const classes = yield* podGroupClassesOf(groups.all, pools, eligibility, whole.part(shares.options / 2));
  const optionEffort = { effort: whole.part(shares.options), mostLooks: shares.loads / LOOKS_PER_OPTION };
  const options = yield* nodeOptionsFor(classes, pools, sets, optionEffort);
  yield* pauseAfter(groups.all.length);
  const exclusive = exclusiveNeeds(groups.all, pools, sets, whole);
  yield* pauseAfter(groups.all.length);
  const hostRules = groups.hostRules.size;
  const problem = new PackingProblem({ groups: groups.all, options: options.all, hostRules, exclusive });
  yield* pauseAfter(groups.all.length);
  const unassignable = problem.unassignable();
  yield* pauseAfter(groups.all.length);
  if (unassignable.length > 0)
    return { culprits: new Set(unassignable.flatMap(({ units }) => units.map(({ node }) => node))) };
  const found = yield* buy(problem, options.shared, mostNodes(run, pools) - fixed.length, { whole, ...shares });
  if (found === undefined) return { culprits: new Set() };
  const assigned = yield* assignLoads(found, inventory, { sets, reservedCapacity }, whole);
  if ('exceeded' in assigned) return assigned;
  const assignments = [...fixed.map((node) => fixedAssignment(node, inventory)), ...assigned.assignments];
  const rearranged = yield* rearrange(run, assignments, whole);
  return 'refused' in rearranged ? blame([rearranged.refused]) : yield* finish(run, assignments, rearranged.nodes);
}

/** What was bought, and of which packing problem. */
interface Bought extends Purchase {
  readonly problem: PackingProblem;
}

/**
 * The cheaper of two purchases: of shared node options only, on which classes can be mixed at will, and of all. Where few
 * classes can run on the same types, a search among all hardly ever comes to mixing them.
 */
function* buy(
  problem: PackingProblem,
  shared: readonly NodeOption[] | undefined,
  mostNodes: number,
  { whole, loads }: Shares,
): Reading<Bought | undefined> {
  let first: Bought | undefined;
  if (shared !== undefined) {
    const sharing = new PackingProblem({ ...problem, options: shared });
    const part = whole.part(loads / 2);
    const bought = sharing.unassignable().length === 0 ? yield* searchPrices(sharing, mostNodes, part) : undefined;
    if (bought !== undefined) first = { ...bought, problem: sharing };
  }
  const part = whole.part(loads);
  const bought = yield* searchPrices(problem, mostNodes, part, first === undefined ? whole : part);
  if (bought === undefined || (first !== undefined && first.costPerHour <= bought.costPerHour)) return first;
  return { ...bought, problem };
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
  assignments: readonly NodeAssignment[],
  nodes: readonly InFlightNode[],
): Reading<Attempt> {
  const { internTables, resources, options } = index;
  const tables = { sets: internTables.sets, resources, options, typeLists: new TypeLists(options.maxInstanceTypes) };
  const finished: PlannedNode[] = [];
  for (const [i, node] of nodes.entries()) {
    yield IMPROVING;
    const { source, leastTypes, entries } = assignments[i]!;
    const one = finishNode(node, tables);
    const isShort = 'shortOf' in one || (one.capacityTypes.includes('spot') && launchChoices(one).length < leastTypes);
    if (!isShort) finished.push({ ...one, source });
    else if (source === 'cost-aware') return blame(entries); // else its pods have no place in upstream's plan either
  }
  return { nodes: finished };
}

function blame(entries: readonly HistoryEntry[]): Attempt {
  return { culprits: new Set(entries.map(({ on }) => on).filter((on) => on instanceof InFlightNode)) };
}
