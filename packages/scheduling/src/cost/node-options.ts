import { BitSet } from '../model/interning/bit-set.ts';
import { IMPROVING, type Reading } from '../progress.ts';
import type { RequirementSets } from '../model/requirements/requirement-set.ts';
import type { ResourceVector } from '../model/resources/resource-table.ts';
import type { CostPool } from './cost-pool.ts';
import { type Effort, pauseAfter } from './effort.ts';
import { covers, type Item, withoutDominated } from './item.ts';
import type { PodGroup } from './pod-groups.ts';
import type { PodGroupClass } from './pod-group-class.ts';
import { type GroupDemand, PoolOptions } from './pool-options.ts';

/** A node option that can be bought. */
export interface NodeOption {
  readonly pool: CostPool;
  /** What it will be if it is bought as cheaply as can be. */
  readonly variant: number;
  /** With the pool's fee for a node. */
  readonly costPerHour: number;
  readonly room: ResourceVector;
  /** Numbers of the pod groups that may be on it and of which a unit fits, ascending. */
  readonly groups: Int32Array;
  /**
   * Of these, those without which a launch would buy something else: it takes last resorts only where no other type would
   * do. `undefined` where any load will do.
   */
  readonly inNeed: Int32Array | undefined;
}

/** The pod groups that may found a node option. The others may only join them. */
export function foundersOf({ groups, inNeed }: Pick<NodeOption, 'groups' | 'inNeed'>): Int32Array {
  return inNeed ?? groups;
}

/** Node options to search among. */
export interface NodeOptionLists {
  /** Of types that as many classes as possible have in common; `undefined` if each class can run on what another can. */
  readonly shared: readonly NodeOption[] | undefined;
  readonly all: readonly NodeOption[];
}

/**
 * How much of the effort may be spent on node options, and how many pod groups may be looked at to fill each of them once.
 */
export interface NodeOptionEffort {
  readonly effort: Effort;
  readonly mostLooks: number;
}

/**
 * The node options worth considering, cheapest first: none beside which another is as large, takes the same pod groups and
 * costs no more. Of 250 types in three zones a few dozen are left. When the effort is used up, those found by then are
 * all.
 */
export function* nodeOptionsFor(
  classes: readonly PodGroupClass[],
  pools: readonly CostPool[],
  sets: RequirementSets,
  { effort, mostLooks }: NodeOptionEffort,
): Reading<NodeOptionLists> {
  const demand = demandOf(classes, sets);
  const groups = classes.reduce((sum, one) => sum + one.groups.length, 0);
  yield* pauseAfter(groups);
  const sources: PoolOptions[] = [];
  for (const pool of differentPools(classes, pools, effort)) {
    yield* pauseAfter(groups);
    sources.push(new PoolOptions(pool, demand, effort));
  }
  yield* pauseAfter(groups);
  const covering: Item[] = [];
  let hasShared = false;
  for (const source of sources) {
    for (const selection of source.selections.covering()) {
      if (effort.isUsedUp) break;
      hasShared ||= selection.isShared;
      covering.push(...(yield* source.itemsOf(selection)));
    }
  }
  const shared = hasShared ? yield* optionsOf(covering, classes, sources, effort) : undefined;
  const items = [...covering];
  let looks = looksAt(covering, classes);
  for (const source of sources) {
    for (const selection of source.selections.others()) {
      if (effort.isUsedUp || looks > mostLooks) break;
      const more = yield* source.itemsOf(selection);
      looks += looksAt(more, classes);
      items.push(...more);
    }
  }
  let all = yield* optionsOf(items, classes, sources, effort);
  yield* pauseAfter(groups);
  const lastResorts = yield* lastResortItems(all, classes, sources, effort);
  if (lastResorts.length > 0) all = yield* optionsOf([...items, ...lastResorts], classes, sources, effort);
  const exact = yield* itemsForUnassignable(all, classes, sources, effort);
  const more = [...lastResorts, ...exact];
  if (more.length === 0) return { shared, all };
  return {
    shared:
      shared && lastResorts.length > 0
        ? yield* optionsOf([...covering, ...lastResorts], classes, sources, effort)
        : shared,
    all: exact.length > 0 ? yield* optionsOf([...items, ...more], classes, sources, effort) : all,
  };
}

/** How many pod groups are looked at to fill each of these once. */
function looksAt(items: readonly Item[], classes: readonly PodGroupClass[]): number {
  const groupsOf = new Map<BitSet, number>();
  let looks = 0;
  for (const { takes } of items) {
    let groups = groupsOf.get(takes);
    if (groups === undefined) {
      groups = [...takes].reduce((sum, c) => sum + classes[c]!.groups.length, 0);
      groupsOf.set(takes, groups);
    }
    looks += groups;
  }
  return looks;
}

/** Open pools, without those that offer nothing but what one before them does. */
function differentPools(
  classes: readonly PodGroupClass[],
  pools: readonly CostPool[],
  effort: Effort,
): readonly CostPool[] {
  const numbers = new Map<unknown, number>();
  const numberOf = (what: unknown): number => {
    if (!numbers.has(what)) numbers.set(what, numbers.size);
    return numbers.get(what)!;
  };
  const different = new Map<string, CostPool>();
  for (const pool of pools.filter(({ isOpen }) => isOpen)) {
    const { template, terms } = pool;
    const eligible = classes.map(({ eligibility }) => {
      effort.spend(2);
      const one = eligibility.get(pool);
      return one === undefined ? '' : numberOf(`${one.text} ${one.kinds.join()} ${one.leastTypes}`);
    });
    const overhead = template.overheadGroups.map(({ vector, variants }) => `${vector.join()} ${variants.text()}`);
    const varied = template.set.hasMinValues ? pool.rank : '';
    const text = [numberOf(template.market.catalogue), terms.nodeFeePerHour, varied, ...overhead, ...eligible].join(
      '/',
    );
    if (!different.has(text)) different.set(text, pool);
  }
  return [...different.values()];
}

function* optionsOf(
  items: readonly Item[],
  classes: readonly PodGroupClass[],
  sources: readonly PoolOptions[],
  effort: Effort,
): Reading<readonly NodeOption[]> {
  const options: NodeOption[] = [];
  const groupsOf = new Map<BitSet, readonly PodGroup[]>();
  for (const { takes, isLastResort, ...rest } of yield* withoutDominated(items, effort)) {
    const groups = groupsOf.get(takes) ?? [...takes].flatMap((c) => classes[c]!.groups);
    groupsOf.set(takes, groups);
    effort.spend(1 + groups.length / 2);
    if (effort.isPauseDue()) yield IMPROVING;
    const fitting = groups.filter(({ requests }) => covers(rest.room, requests));
    const numbers = Int32Array.from(fitting, ({ id }) => id).sort();
    if (!isLastResort) {
      options.push({ ...rest, groups: numbers, inNeed: undefined });
      continue;
    }
    const source = sources.find(({ pool }) => pool === rest.pool)!;
    const inNeed = [...takes].flatMap((c) => source.inNeedOfLastResorts(c, fitting));
    if (inNeed.length === 0) continue;
    const areAll = inNeed.length === numbers.length;
    options.push({ ...rest, groups: numbers, inNeed: areAll ? undefined : Int32Array.from(inNeed).sort() });
  }
  return options;
}

/** Of last resorts, for pod groups that none of the node options takes. */
function* lastResortItems(
  options: readonly NodeOption[],
  classes: readonly PodGroupClass[],
  sources: readonly PoolOptions[],
  effort: Effort,
): Reading<readonly Item[]> {
  const assigned = assignedTo(options);
  const waiting = [...classes.keys()].filter((c) => classes[c]!.groups.some(({ id }) => !assigned.has(id)));
  const items: Item[] = [];
  for (const source of sources) {
    const made = new Set<string>();
    for (const c of waiting) if (!effort.isUsedUp) items.push(...(yield* source.lastResortItemsFor(c, made)));
  }
  return items;
}

/** For pod groups that none of the node options takes. */
function* itemsForUnassignable(
  options: readonly NodeOption[],
  classes: readonly PodGroupClass[],
  sources: readonly PoolOptions[],
  effort: Effort,
): Reading<readonly Item[]> {
  const assigned = assignedTo(options);
  const items: Item[] = [];
  for (const [c, { groups }] of classes.entries()) {
    for (const group of groups) {
      if (assigned.has(group.id) || effort.isUsedUp) continue;
      if (effort.isPauseDue()) yield IMPROVING;
      for (const source of sources) items.push(...source.itemsFor(group, c));
    }
  }
  return items;
}

/** Numbers of the pod groups that may found one of the node options. */
export function assignedTo(options: readonly NodeOption[]): BitSet {
  const assigned = new BitSet();
  for (const option of options) for (const group of foundersOf(option)) assigned.add(group);
  return assigned;
}

function demandOf(classes: readonly PodGroupClass[], sets: RequirementSets): GroupDemand {
  const totals = classes.map(({ groups }) => totalOf(groups));
  const total = new Float64Array(totals[0]!.length);
  for (const amounts of totals) for (let r = 0; r < total.length; r++) total[r]! += amounts[r]!;
  const weights = Float64Array.from(totals, (amounts) =>
    amounts.reduce((sum, amount, r) => sum + (amount > 0 ? amount / total[r]! : 0), 0),
  );
  return { classes, total, weights, sets };
}

/** Of all units of these pod groups. */
function totalOf(groups: readonly PodGroup[]): ResourceVector {
  const total = new Float64Array(groups[0]!.requests.length);
  for (const { requests, units } of groups) {
    for (let r = 0; r < total.length; r++) total[r]! += units.length * requests[r]!;
  }
  return total;
}
