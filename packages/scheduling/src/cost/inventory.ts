import type { OpenNode } from '../packing/open-node.ts';
import type { HistoryEntry } from '../packing/packer.ts';
import type { Relaxation } from '../plan.ts';
import { IMPROVING, type Reading } from '../progress.ts';
import type { CostPool } from './cost-pool.ts';
import { Lots } from './lot.ts';
import type { UpstreamRun } from './upstream-run.ts';
import { unitsOf } from './unit.ts';

/** What of upstream's new nodes is open to be bought otherwise. */
export interface Inventory {
  readonly lots: Lots;
  /** Nodes that stay as they are. */
  readonly fixed: readonly OpenNode[];
  /** The pods of each node, in the order they were placed. */
  readonly entriesOn: ReadonlyMap<OpenNode, readonly HistoryEntry[]>;
}

/** A node bought as spot should be one of at least so many types, or of as many as it was (spec 09 A1). */
const ENOUGH_TYPES = 15;

/** Sorts upstream's nodes into those that stay, `staying` among them, and those whose pods may move. */
export function* takeInventory(
  run: UpstreamRun,
  pools: readonly CostPool[],
  staying: ReadonlySet<OpenNode>,
): Reading<Inventory> {
  const { index, topology, nodes, plan } = run;
  const { lexicon, demands, options } = index;
  const lots = new Lots({ sets: lexicon.sets, demands, profile: options.profile });
  const entriesOn = groupByNode(run);
  const fixed: OpenNode[] = [];
  const planned = new Map(plan.newNodes.map((node) => [node.placeholder, node]));
  for (const node of nodes) {
    yield IMPROVING;
    const { instanceTypes } = planned.get(node.placeholder) ?? {};
    const pool = pools.find(({ template }) => template === node.template)!;
    const entries = entriesOn.get(node)!;
    if (instanceTypes === undefined || !pool.isOpen || staying.has(node) || isBound(node, entries, run)) {
      fixed.push(node);
      continue;
    }
    const leastTypes = Math.min(ENOUGH_TYPES, instanceTypes.length);
    lots.add(unitsOf(node, entries, topology), { leastWeight: pool.weight, leastTypes });
  }
  lots.close();
  return { lots, fixed, entriesOn };
}

function groupByNode({ nodes, history }: UpstreamRun): ReadonlyMap<OpenNode, readonly HistoryEntry[]> {
  const entriesOn = new Map<HistoryEntry['on'], HistoryEntry[]>(nodes.map((node) => [node, []]));
  for (const entry of history) entriesOn.get(entry.on)?.push(entry);
  return entriesOn as ReadonlyMap<OpenNode, readonly HistoryEntry[]>;
}

/**
 * Whether there is something about a node that another one would not have: a reservation, lowered `minValues`, pods that
 * name a host, or pods that gave up a wish about others which the node may fulfil all the same.
 */
function isBound(
  { held, minValuesRelaxed }: OpenNode,
  entries: readonly HistoryEntry[],
  { index }: UpstreamRun,
): boolean {
  if (held.size > 0 || minValuesRelaxed) return true;
  return entries.some(({ queued, stage }) => {
    const { needs, volumeAlternatives } = index.demands.of(queued.podClass.shape, stage);
    const namesHost = [needs, ...volumeAlternatives].some(({ hostname }) => hostname !== undefined);
    return namesHost || stage.relaxations.some(isAboutOthers);
  });
}

function isAboutOthers({ gaveUp }: Relaxation): boolean {
  return gaveUp === 'PreferredPodAffinity' || gaveUp === 'PreferredPodAntiAffinity' || gaveUp === 'ScheduleAnyway';
}
