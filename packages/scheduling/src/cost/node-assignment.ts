import type { BitSet } from '../model/interning/bit-set.ts';
import { variantsHolding } from '../packing/new-nodes/fitting-variants.ts';
import type { NodeTemplate } from '../packing/new-nodes/node-template.ts';
import { NONE_HELD, type InFlightNode } from '../packing/new-nodes/in-flight-node.ts';
import type { HistoryEntry } from '../packing/packer.ts';
import type { PlanSource } from '../plan.ts';
import { IMPROVING, type Reading } from '../progress.ts';
import type { RequirementSet, RequirementSets } from '../model/requirements/requirement-set.ts';
import type { PlanningOptions } from '../snapshot.ts';
import type { CostPool } from './cost-pool.ts';
import type { Effort } from './effort.ts';
import type { Load } from './filler.ts';
import type { Inventory } from './inventory.ts';
import { divideLimits, type Order } from './limit-shares.ts';
import { buyableVariants, dropReserved } from './reserved-types.ts';
import type { PackingProblem } from './packing-problem.ts';

/** A node as it is to be before any pod is on it, and the pods that are to come. */
export interface NodeAssignment {
  readonly template: NodeTemplate;
  readonly set: RequirementSet;
  readonly variants: BitSet;
  readonly held: ReadonlySet<string>;
  readonly minValuesRelaxed: boolean;
  readonly entries: readonly HistoryEntry[];
  /** How many types it must be left to choose from where spot is bought. */
  readonly leastTypes: number;
  readonly source: PlanSource;
}

/** One of upstream's nodes, narrowed from the start to what it became. */
export function fixedAssignment(node: InFlightNode, { entriesOn }: Inventory): NodeAssignment {
  const { template, set, variants, held, minValuesRelaxed } = node;
  const entries = entriesOn.get(node)!;
  return { template, set, variants, held, minValuesRelaxed, entries, leastTypes: 0, source: 'upstream' };
}

export interface AssignmentTables {
  readonly sets: RequirementSets;
  readonly reservedCapacity: PlanningOptions['reservedCapacity'];
}

/** What it takes to find out what a node for a load asks for, in steps. */
const STEPS_PER_LOAD = 40;
const STEPS_PER_GROUP = 20;

/** A node for each load, or a pool whose limits do not allow for them. */
export function* assignLoads(
  { loads, problem }: { readonly loads: readonly Load[]; readonly problem: PackingProblem },
  { fixed }: Inventory,
  tables: AssignmentTables,
  effort: Effort,
): Reading<{ readonly assignments: readonly NodeAssignment[] } | { readonly exceeded: CostPool }> {
  const orderOf = new Map<Load, ReturnType<typeof orderFor>>();
  for (const load of new Set(loads)) {
    effort.spend(STEPS_PER_LOAD + STEPS_PER_GROUP * load.groups.length);
    if (effort.isPauseDue()) yield IMPROVING;
    orderOf.set(load, orderFor(load, problem, tables));
  }
  const orders = loads.map((load) => orderOf.get(load)!);
  const shares = yield* divideLimits(orders, fixed, effort);
  if ('exceeded' in shares) return shares;
  const assigned = new Int32Array(problem.groups.length);
  const assignments = loads.map(({ groups, counts }, i): NodeAssignment => {
    const { option, set, leastTypes } = orders[i]!;
    const { template } = option.pool;
    const variants = shares.choices[i]!;
    if (tables.reservedCapacity === 'Strict') dropReserved(variants, template.market, set);
    const units = groups.flatMap((id, j) =>
      problem.groups[id]!.units.slice(assigned[id], (assigned[id]! += counts[j]!)),
    );
    return {
      template,
      set,
      variants,
      held: NONE_HELD,
      minValuesRelaxed: false,
      entries: units.flatMap(({ members }) => members.map(({ entry }) => entry)),
      leastTypes,
      source: 'cost-aware',
    };
  });
  return { assignments };
}

function orderFor(
  { option: id, groups, counts }: Load,
  problem: PackingProblem,
  { sets, reservedCapacity }: AssignmentTables,
): Order & { readonly set: RequirementSet } {
  const option = problem.options[id]!;
  const { template } = option.pool;
  const on = groups.map((group) => problem.groups[group]!);
  const set = on.reduce((merged, { needs }) => sets.merge(merged, needs), template.set);
  const fitting = (): BitSet => {
    const requests = option.room.map((_, r) => on.reduce((sum, group, j) => sum + group.requests[r]! * counts[j]!, 0));
    const ports = on.flatMap((group) => group.ports);
    const avoided = on.flatMap((group) => group.avoided);
    return variantsHolding(buyableVariants(template, set, reservedCapacity), template, { requests, ports, avoided });
  };
  return { option, set, fitting, leastTypes: Math.max(...on.map(({ leastTypes }) => leastTypes)) };
}
