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
import type { PodGroup } from './pod-groups.ts';
import { buyableVariants } from './reserved-types.ts';

/** What of a pool a pod group can run on, sizes aside. */
export interface Eligibility {
  readonly variants: BitSet;
  /** Equal for equal variants. */
  readonly text: string;
  /** Ways to buy them; without reservations, which come by themselves to a node that may have them. */
  readonly kinds: readonly number[];
  /** How many types there must be to choose from: any number unless spot may be bought. */
  readonly leastTypes: number;
}

/** Pod groups that can run on the same node options, sizes aside. */
export interface PodGroupClass {
  readonly groups: readonly PodGroup[];
  /** Of pools that are open to them. */
  readonly eligibility: ReadonlyMap<CostPool, Eligibility>;
}

export interface EligibilityTables {
  readonly sets: RequirementSets;
  readonly taints: TaintTable;
  readonly reservedCapacity: PlanningOptions['reservedCapacity'];
}

/** What it takes to find out what of a pool a pod group can run on, in steps, with some for each way to buy. */
const STEPS_PER_POOL = 80;
const STEPS_PER_KIND = 4;
const STEPS_PER_DECLARATION = 4;

/**
 * Sorts pod groups by where they can run. `pools` are all of them, heaviest first. Where the effort is not enough to look
 * at all pools for all pod groups, each pod group has the first ones and the one upstream put it in.
 */
export function* podGroupClassesOf(
  groups: readonly PodGroup[],
  pools: readonly CostPool[],
  tables: EligibilityTables,
  effort: Effort,
): Reading<readonly PodGroupClass[]> {
  const alike = Map.groupBy(groups, (group) => {
    return `${group.needs.id} ${group.tolerations.join()} ${neighbourText(group)} ${group.leastTypes}`;
  });
  const mostPools = mostPoolsFor(alike.size, pools, effort);
  const classes = new Map<
    string,
    { readonly groups: PodGroup[]; readonly eligibility: ReadonlyMap<CostPool, Eligibility> }
  >();
  for (const [asked, members] of alike) {
    const own = members[0]!.units[0]!.node.template;
    const near = pools.filter(({ rank, template }) => rank < mostPools || template === own);
    effort.spend(STEPS_PER_DECLARATION * declarationsFor(members[0]!, near[0], tables));
    const eligibility = yield* eligibilityOf(members[0]!, near, tables, effort);
    for (const group of members) {
      if (effort.isPauseDue()) yield IMPROVING;
      const leastWeight = Math.max(group.leastWeight, homeWeight(group, eligibility, effort));
      const text = `${asked} ${leastWeight}`;
      const present = classes.get(text);
      if (present !== undefined) present.groups.push(group);
      else classes.set(text, { groups: [group], eligibility: within(eligibility, leastWeight) });
    }
  }
  return [...classes.values()];
}

function mostPoolsFor(count: number, pools: readonly CostPool[], effort: Effort): number {
  const steps = pools.reduce((sum, pool) => sum + stepsFor(pool), 0);
  return Math.max(1, Math.floor((pools.length * effort.limit) / (count * steps)));
}

/**
 * How many values that types declare are compared with what a pod group needs. Once for all pools that share a catalogue.
 */
function declarationsFor(
  { needs }: PodGroup,
  pool: CostPool | undefined,
  { sets: { table } }: EligibilityTables,
): number {
  const { catalogue } = pool?.template.market ?? {};
  return needs.ids.reduce((sum, id) => sum + (catalogue?.declarations(table.get(id).key).length ?? 0), 0);
}

function stepsFor({ template }: CostPool): number {
  return STEPS_PER_POOL + STEPS_PER_KIND * template.market.catalogue.kinds.length;
}

function* eligibilityOf(
  group: PodGroup,
  pools: readonly CostPool[],
  tables: EligibilityTables,
  effort: Effort,
): Reading<ReadonlyMap<CostPool, Eligibility>> {
  const eligibility = new Map<CostPool, Eligibility>();
  for (const pool of pools) {
    effort.spend(stepsFor(pool));
    if (effort.isPauseDue()) yield IMPROVING;
    const eligible = findEligibility(group, pool, tables);
    if (eligible !== undefined) eligibility.set(pool, eligible);
  }
  return eligibility;
}

function findEligibility(group: PodGroup, { template }: CostPool, tables: EligibilityTables): Eligibility | undefined {
  const { sets, taints, reservedCapacity } = tables;
  const { market } = template;
  if (!group.tolerations.every((tolerations) => taints.tolerates(tolerations, template.taints))) return undefined;
  if (!sets.accepts(template.set, group.needs, 'loosely')) return undefined;
  const set = sets.merge(template.set, group.needs);
  const supply = market.supply(set);
  const variants = buyableVariants(template, set, reservedCapacity);
  for (const overhead of template.overheadGroups) {
    if (clashes(group, overhead)) variants.subtract(overhead.variants);
  }
  const kinds = supply.kinds.filter((kind) => reservedCapacity === 'Off' || !isOf(market.catalogue, kind, 'reserved'));
  if (variants.isEmpty() || kinds.length === 0) return undefined;
  const canBeSpot = kinds.some((kind) => isOf(market.catalogue, kind, 'spot'));
  return { variants, text: variants.text(), kinds, leastTypes: canBeSpot ? group.leastTypes : 0 };
}

function isOf({ kinds }: Catalogue, kind: number, capacityType: CapacityType): boolean {
  return kinds[kind]!.requirements.get(CAPACITY_TYPE_LABEL)?.values.has(capacityType) === true;
}

/**
 * The weight of the heaviest pool that would provide a node for the pod group alone. It is not to get a node in a lighter
 * one, even where upstream let it join one there. Of pools with limits nothing can be said.
 */
function homeWeight({ requests }: PodGroup, eligibility: ReadonlyMap<CostPool, Eligibility>, effort: Effort): number {
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
