import type { InFlightNode } from '../packing/new-nodes/in-flight-node.ts';
import type { HistoryEntry } from '../packing/packer.ts';
import { launchChoices, type Relaxation } from '../plan.ts';
import { IMPROVING, type Reading } from '../progress.ts';
import type { CostPool } from './cost-pool.ts';
import type { Effort } from './effort.ts';
import { PodGroups } from './pod-groups.ts';
import { MemberRulesTable } from './member-rules.ts';
import type { UpstreamRun } from './upstream-run.ts';
import { unitsOf } from './unit.ts';

/** What of upstream's new nodes is open to be bought otherwise. */
export interface Inventory {
  readonly groups: PodGroups;
  /** Nodes that stay as they are. */
  readonly fixed: readonly InFlightNode[];
  /** The pods of each node, in the order they were placed. */
  readonly entriesOn: ReadonlyMap<InFlightNode, readonly HistoryEntry[]>;
}

/** A node bought as spot should be one of at least so many types, or of as many as it was (spec 09 A1). */
const ENOUGH_TYPES = 15;

/** What it takes to see whether a pod may move, in steps. */
const STEPS_PER_POD = 8;

/**
 * Sorts upstream's nodes into those that stay, `staying` among them, and those whose pods may move. When the effort is used
 * up, the rest stays.
 */
export function* takeInventory(
  run: UpstreamRun,
  pools: readonly CostPool[],
  staying: ReadonlySet<InFlightNode>,
  effort: Effort,
): Reading<Inventory> {
  const { index, topology, nodes, plan } = run;
  const { internTables, demands, options } = index;
  const groups = new PodGroups({ sets: internTables.sets, demands, profile: options.profile }, effort);
  const rules = new MemberRulesTable(topology, groups.hostRules, effort);
  const entriesOn = groupByNode(run);
  const fixed: InFlightNode[] = [];
  const planned = new Map(plan.newNodes.map((node) => [node.placeholder, node]));
  const poolsByTemplate = new Map(pools.map((pool) => [pool.template, pool]));
  for (const node of nodes) {
    if (effort.isPauseDue()) yield IMPROVING;
    const plannedNode = planned.get(node.placeholder);
    const pool = poolsByTemplate.get(node.template)!;
    const entries = entriesOn.get(node)!;
    effort.spend(STEPS_PER_POD * entries.length);
    const stays = plannedNode === undefined || !pool.isOpen || staying.has(node) || effort.isUsedUp;
    if (stays || isBound(node, entries, run)) {
      fixed.push(node);
      continue;
    }
    const leastTypes = Math.min(ENOUGH_TYPES, launchChoices(plannedNode).length);
    groups.add(unitsOf(node, entries, rules), { leastWeight: pool.weight, leastTypes });
  }
  groups.close();
  return { groups, fixed, entriesOn };
}

function groupByNode({ nodes, history }: UpstreamRun): ReadonlyMap<InFlightNode, readonly HistoryEntry[]> {
  const entriesOn = new Map<HistoryEntry['on'], HistoryEntry[]>(nodes.map((node) => [node, []]));
  for (const entry of history) entriesOn.get(entry.on)?.push(entry);
  return entriesOn as ReadonlyMap<InFlightNode, readonly HistoryEntry[]>;
}

/**
 * Whether there is something about a node that another one would not have: a reservation, lowered `minValues`, pods that
 * name a host, or pods that gave up a preference about others that the node may satisfy all the same.
 */
function isBound(
  { held, minValuesRelaxed }: InFlightNode,
  entries: readonly HistoryEntry[],
  { index }: UpstreamRun,
): boolean {
  if (held.size > 0 || minValuesRelaxed) return true;
  return entries.some(({ queued, stage }) => {
    const { needs, volumeAlternatives } = index.demands.of(queued.podClass, stage);
    const namesHost = [needs, ...volumeAlternatives].some(({ hostname }) => hostname !== undefined);
    return namesHost || stage.relaxations.some(isAboutOthers);
  });
}

function isAboutOthers({ gaveUp }: Relaxation): boolean {
  return gaveUp === 'PreferredPodAffinity' || gaveUp === 'PreferredPodAntiAffinity' || gaveUp === 'ScheduleAnyway';
}
