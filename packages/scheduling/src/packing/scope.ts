import { Reservations } from '../checks/reservations.ts';
import type { ClusterNode } from '../model/nodes/cluster-nodes.ts';
import type { PackingOptions, Pool } from '../snapshot.ts';
import type { OpenPool } from './new-nodes/new-node.ts';
import type { NodeTemplate } from './new-nodes/node-template.ts';
import { placeholderOf } from './new-nodes/open-node.ts';
import type { QueuedPod } from './queued-pod.ts';
import type { UnusablePool } from '../plan.ts';
import type { PoolTemplate, SnapshotIndex } from './snapshot-index.ts';
import { Topology } from '../topology/topology.ts';

/** What one run is about. */
export interface Scope {
  readonly pods: readonly QueuedPod[];
  readonly pools: readonly Pool[];
  /** Open nodes of the snapshot that are not there in this run. */
  readonly gone: readonly ClusterNode[];
  /** Whether to look for a cheaper plan, and how far to go for it; `undefined` to plan as upstream does. */
  readonly packing: PackingOptions | undefined;
}

/** All that changes as pods are placed, as it is before the first of them. */
export interface Ground {
  readonly topology: Topology;
  readonly reservations: Reservations;
  /** In the order they are asked. */
  readonly pools: readonly OpenPool[];
  /** Of all pools, also those that cannot be used. */
  readonly templates: readonly PoolTemplate[];
}

/** A ground of one's own: runs do not share any of it. */
export function prepareGround(index: SnapshotIndex, scope: Scope): Ground {
  const templates = index.templatesOf(scope.pools);
  return {
    topology: topologyOf(index, scope),
    reservations: new Reservations(scope.pools.map((pool) => index.catalogueOf(pool).reservations)),
    pools: openPools(index, templates, scope.gone),
    templates,
  };
}

/** The rules of a run, with nothing placed yet. */
export function topologyOf(index: SnapshotIndex, { pods, pools, gone }: Scope): Topology {
  const { census, guards, rules, ruleBook, internTables } = index;
  const moving = new Set(pods.map(({ pod }) => index.pods.find(pod)).filter((bound) => bound !== undefined));
  const base = { census, guards, rules, ruleBook, domains: internTables.domains, universe: index.universeOf(pools) };
  return new Topology(base, moving, gone, { nameOf: placeholderOf });
}

export function isUnusable(template: NodeTemplate | UnusablePool): template is UnusablePool {
  return 'minValuesUnmet' in template;
}

function openPools(
  index: SnapshotIndex,
  templates: readonly PoolTemplate[],
  gone: readonly ClusterNode[],
): readonly OpenPool[] {
  const pools: OpenPool[] = [];
  for (const { pool, template } of templates) {
    if (!isUnusable(template)) pools.push({ template, limits: index.findLimits(pool, template, gone) });
  }
  return pools;
}
