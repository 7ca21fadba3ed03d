import { CAPACITY_TYPE_LABEL, type CapacityType } from '@karpenter-ts/apis';
import { portsConflict } from '../checks/host-ports.ts';
import type { TaintTable } from '../checks/taints.ts';
import type { Catalogue } from '../instance-types/catalogue.ts';
import type { BitSet } from '../interning/bit-set.ts';
import type { RequirementSets } from '../requirements/requirement-set.ts';
import type { PlanningOptions } from '../snapshot.ts';
import type { CostPool } from './cost-pool.ts';
import type { Lot } from './lot.ts';
import { buyableVariants } from './reserved-types.ts';

/** What of a pool a lot can run on, sizes aside. */
export interface Eligibility {
  readonly variants: BitSet;
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

/** Sorts lots by where they can run. `pools` are all of them, heaviest first. */
export function lotClassesOf(
  lots: readonly Lot[],
  pools: readonly CostPool[],
  tables: EligibilityTables,
): readonly LotClass[] {
  const known = new Map<string, ReadonlyMap<CostPool, Eligibility>>();
  const classes = new Map<string, { readonly lots: Lot[]; readonly eligibility: ReadonlyMap<CostPool, Eligibility> }>();
  for (const lot of lots) {
    const ports = lot.ports.length === 0 ? '' : JSON.stringify(lot.ports);
    const asked = `${lot.needs.id} ${lot.tolerations.join()} ${ports} ${lot.leastTypes}`;
    const eligibility = known.get(asked) ?? eligibilityOf(lot, pools, tables);
    known.set(asked, eligibility);
    const leastWeight = Math.max(lot.leastWeight, homeWeight(lot, eligibility));
    const text = `${asked} ${leastWeight}`;
    const present = classes.get(text);
    if (present !== undefined) present.lots.push(lot);
    else classes.set(text, { lots: [lot], eligibility: within(eligibility, leastWeight) });
  }
  return [...classes.values()];
}

function eligibilityOf(lot: Lot, pools: readonly CostPool[], tables: EligibilityTables) {
  const eligibility = new Map<CostPool, Eligibility>();
  for (const pool of pools) {
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
    if (portsConflict(lot.ports, group.ports)) variants.subtract(group.variants);
  }
  const kinds = supply.kinds.filter((kind) => reservedCapacity === 'Off' || !isOf(market.catalogue, kind, 'reserved'));
  if (variants.isEmpty() || kinds.length === 0) return undefined;
  const canBeSpot = kinds.some((kind) => isOf(market.catalogue, kind, 'spot'));
  return { variants, kinds, leastTypes: canBeSpot ? lot.leastTypes : 0 };
}

function isOf({ kinds }: Catalogue, kind: number, capacityType: CapacityType): boolean {
  return kinds[kind]!.requirements.get(CAPACITY_TYPE_LABEL)?.values.has(capacityType) === true;
}

/**
 * The weight of the heaviest pool that would provide a node for the lot alone. It is not to get a node in a lighter one,
 * even where upstream let it join one there. Of pools with limits nothing can be said.
 */
function homeWeight({ requests }: Lot, eligibility: ReadonlyMap<CostPool, Eligibility>): number {
  for (const [pool, { variants }] of eligibility) {
    if (pool.limits !== undefined) continue;
    for (let variant = variants.next(0); variant >= 0; variant = variants.next(variant + 1)) {
      if (pool.hasRoom(variant, requests)) return pool.weight;
    }
  }
  return Number.NEGATIVE_INFINITY;
}

function within(eligibility: ReadonlyMap<CostPool, Eligibility>, leastWeight: number) {
  return new Map([...eligibility].filter(([{ weight, isOpen }]) => isOpen && weight >= leastWeight));
}
