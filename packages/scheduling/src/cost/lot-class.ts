import { CAPACITY_TYPE_LABEL, type CapacityType } from '@karpenter-ts/apis';
import type { TaintTable } from '../model/pods/taints.ts';
import type { Catalogue } from '../model/instance-types/catalogue.ts';
import type { BitSet } from '../model/interning/bit-set.ts';
import { clashes, neighbourText } from '../packing/daemon-peers.ts';
import { variantsHolding } from '../packing/new-nodes/fitting-variants.ts';
import { IMPROVING, type Reading } from '../progress.ts';
import type { RequirementSets } from '../model/requirements/requirement-set.ts';
import type { PlanningOptions } from '../snapshot.ts';
import type { CostPool } from './cost-pool.ts';
import type { Effort } from './effort.ts';
import type { Lot } from './lot.ts';
import { buyableVariants } from './reserved-types.ts';

/** What of a pool a lot can run on, sizes aside. */
export interface Eligibility {
  readonly variants: BitSet;
  /** Equal for equal variants. */
  readonly text: string;
  /** Ways to buy them; without reservations, which come by themselves to a node that may have them. */
  readonly kinds: readonly number[];
  /** How many types there must be to choose from: any number unless spot may be bought. */
  readonly leastTypes: number;
}

/** Lots that can run on the same machines, sizes aside. */
export interface LotClass {
  readonly lots: readonly Lot[];
  /** Of pools that are open to them. */
  readonly eligibility: ReadonlyMap<CostPool, Eligibility>;
}

export interface EligibilityTables {
  readonly sets: RequirementSets;
  readonly taints: TaintTable;
  readonly reservedCapacity: PlanningOptions['reservedCapacity'];
}

/** What it takes to find out what of a pool a lot can run on, in steps, with some for each way to buy. */
const STEPS_PER_POOL = 80;
const STEPS_PER_KIND = 4;
const STEPS_PER_DECLARATION = 4;

/**
 * Sorts lots by where they can run. `pools` are all of them, heaviest first. Where the effort is not enough to look at all
 * pools for all lots, each lot has the first ones and the one upstream put it in.
 */
export function* lotClassesOf(
  lots: readonly Lot[],
  pools: readonly CostPool[],
  tables: EligibilityTables,
  effort: Effort,
): Reading<readonly LotClass[]> {
  const alike = Map.groupBy(lots, (lot) => {
    return `${lot.needs.id} ${lot.tolerations.join()} ${neighbourText(lot)} ${lot.leastTypes}`;
  });
  const mostPools = mostPoolsFor(alike.size, pools, effort);
  const classes = new Map<string, { readonly lots: Lot[]; readonly eligibility: ReadonlyMap<CostPool, Eligibility> }>();
  for (const [asked, members] of alike) {
    const own = members[0]!.units[0]!.node.template;
    const near = pools.filter(({ rank, template }) => rank < mostPools || template === own);
    effort.spend(STEPS_PER_DECLARATION * declarationsFor(members[0]!, near[0], tables));
    const eligibility = yield* eligibilityOf(members[0]!, near, tables, effort);
    for (const lot of members) {
      if (effort.isPauseDue()) yield IMPROVING;
      const leastWeight = Math.max(lot.leastWeight, homeWeight(lot, eligibility, effort));
      const text = `${asked} ${leastWeight}`;
      const present = classes.get(text);
      if (present !== undefined) present.lots.push(lot);
      else classes.set(text, { lots: [lot], eligibility: within(eligibility, leastWeight) });
    }
  }
  return [...classes.values()];
}

function mostPoolsFor(count: number, pools: readonly CostPool[], effort: Effort): number {
  const steps = pools.reduce((sum, pool) => sum + stepsFor(pool), 0);
  return Math.max(1, Math.floor((pools.length * effort.limit) / (count * steps)));
}

/** How many values that types declare are compared with what a lot needs. Once for all pools that share a catalogue. */
function declarationsFor({ needs }: Lot, pool: CostPool | undefined, { sets: { table } }: EligibilityTables): number {
  const { catalogue } = pool?.template.market ?? {};
  return needs.ids.reduce((sum, id) => sum + (catalogue?.declarations(table.get(id).key).length ?? 0), 0);
}

function stepsFor({ template }: CostPool): number {
  return STEPS_PER_POOL + STEPS_PER_KIND * template.market.catalogue.kinds.length;
}

function* eligibilityOf(
  lot: Lot,
  pools: readonly CostPool[],
  tables: EligibilityTables,
  effort: Effort,
): Reading<ReadonlyMap<CostPool, Eligibility>> {
  const eligibility = new Map<CostPool, Eligibility>();
  for (const pool of pools) {
    effort.spend(stepsFor(pool));
    if (effort.isPauseDue()) yield IMPROVING;
    const eligible = findEligibility(lot, pool, tables);
    if (eligible !== undefined) eligibility.set(pool, eligible);
  }
  return eligibility;
}

function findEligibility(lot: Lot, { template }: CostPool, tables: EligibilityTables): Eligibility | undefined {
  const { sets, taints, reservedCapacity } = tables;
  const { market } = template;
  if (!lot.tolerations.every((tolerations) => taints.tolerates(tolerations, template.taints))) return undefined;
  if (!sets.accepts(template.set, lot.needs, 'loosely')) return undefined;
  const set = sets.merge(template.set, lot.needs);
  const supply = market.supply(set);
  const variants = buyableVariants(template, set, reservedCapacity);
  for (const group of template.overheadGroups) {
    if (clashes(lot, group)) variants.subtract(group.variants);
  }
  const kinds = supply.kinds.filter((kind) => reservedCapacity === 'Off' || !isOf(market.catalogue, kind, 'reserved'));
  if (variants.isEmpty() || kinds.length === 0) return undefined;
  const canBeSpot = kinds.some((kind) => isOf(market.catalogue, kind, 'spot'));
  return { variants, text: variants.text(), kinds, leastTypes: canBeSpot ? lot.leastTypes : 0 };
}

function isOf({ kinds }: Catalogue, kind: number, capacityType: CapacityType): boolean {
  return kinds[kind]!.requirements.get(CAPACITY_TYPE_LABEL)?.values.has(capacityType) === true;
}

/**
 * The weight of the heaviest pool that would provide a node for the lot alone. It is not to get a node in a lighter one,
 * even where upstream let it join one there. Of pools with limits nothing can be said.
 */
function homeWeight({ requests }: Lot, eligibility: ReadonlyMap<CostPool, Eligibility>, effort: Effort): number {
  for (const [{ limits, template, weight }, { variants }] of eligibility) {
    if (limits !== undefined) continue;
    effort.spend(STEPS_PER_POOL);
    if (!variantsHolding(variants, template, { requests, ports: [], avoided: [] }).isEmpty()) return weight;
  }
  return Number.NEGATIVE_INFINITY;
}

function within(eligibility: ReadonlyMap<CostPool, Eligibility>, leastWeight: number) {
  return new Map([...eligibility].filter(([{ weight, isOpen }]) => isOpen && weight >= leastWeight));
}
