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
import type { Tender } from './tender.ts';

/** A node as it is to be before any pod is on it, and the pods that are to come. */
export interface Seating {
  readonly template: NodeTemplate;
  readonly set: RequirementSet;
  readonly variants: BitSet;
  readonly held: ReadonlySet<string>;
  readonly minValuesRelaxed: boolean;
  readonly guests: readonly HistoryEntry[];
  /** How many types it must be left to choose from where spot is bought. */
  readonly leastTypes: number;
  readonly source: PlanSource;
}

/** One of upstream's nodes, narrowed from the start to what it became. */
export function fixedSeating(node: InFlightNode, { entriesOn }: Inventory): Seating {
  const { template, set, variants, held, minValuesRelaxed } = node;
  const guests = entriesOn.get(node)!;
  return { template, set, variants, held, minValuesRelaxed, guests, leastTypes: 0, source: 'upstream' };
}

export interface SeatingTables {
  readonly sets: RequirementSets;
  readonly reservedCapacity: PlanningOptions['reservedCapacity'];
}

/** What it takes to find out what a node for a load asks for, in steps. */
const STEPS_PER_LOAD = 40;
const STEPS_PER_LOT = 20;

/** A node for each load, or a pool whose limits do not allow for them. */
export function* seatLoads(
  { loads, tender }: { readonly loads: readonly Load[]; readonly tender: Tender },
  { fixed }: Inventory,
  tables: SeatingTables,
  effort: Effort,
): Reading<{ readonly seatings: readonly Seating[] } | { readonly exceeded: CostPool }> {
  const orderOf = new Map<Load, ReturnType<typeof orderFor>>();
  for (const load of new Set(loads)) {
    effort.spend(STEPS_PER_LOAD + STEPS_PER_LOT * load.lots.length);
    if (effort.isPauseDue()) yield IMPROVING;
    orderOf.set(load, orderFor(load, tender, tables));
  }
  const orders = loads.map((load) => orderOf.get(load)!);
  const shares = yield* divideLimits(orders, fixed, effort);
  if ('exceeded' in shares) return shares;
  const seated = new Int32Array(tender.lots.length);
  const seatings = loads.map(({ lots, counts }, i): Seating => {
    const { machine, set, leastTypes } = orders[i]!;
    const { template } = machine.pool;
    const variants = shares.choices[i]!;
    if (tables.reservedCapacity === 'Strict') dropReserved(variants, template.market, set);
    const units = lots.flatMap((id, j) => tender.lots[id]!.units.slice(seated[id], (seated[id]! += counts[j]!)));
    return {
      template,
      set,
      variants,
      held: NONE_HELD,
      minValuesRelaxed: false,
      guests: units.flatMap(({ members }) => members.map(({ entry }) => entry)),
      leastTypes,
      source: 'cost-aware',
    };
  });
  return { seatings };
}

function orderFor(
  { machine: id, lots, counts }: Load,
  tender: Tender,
  { sets, reservedCapacity }: SeatingTables,
): Order & { readonly set: RequirementSet } {
  const machine = tender.machines[id]!;
  const { template } = machine.pool;
  const on = lots.map((lot) => tender.lots[lot]!);
  const set = on.reduce((merged, { needs }) => sets.merge(merged, needs), template.set);
  const fitting = (): BitSet => {
    const requests = machine.room.map((_, r) => on.reduce((sum, lot, j) => sum + lot.requests[r]! * counts[j]!, 0));
    const ports = on.flatMap((lot) => lot.ports);
    const avoided = on.flatMap((lot) => lot.avoided);
    return variantsHolding(buyableVariants(template, set, reservedCapacity), template, { requests, ports, avoided });
  };
  return { machine, set, fitting, leastTypes: Math.max(...on.map(({ leastTypes }) => leastTypes)) };
}
