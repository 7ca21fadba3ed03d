import { Reservations } from '../checks/reservations.ts';
import type { ClusterNode } from '../model/nodes/cluster-nodes.ts';
import type { PackingOptions, Pool } from '../snapshot.ts';
import type { TemplateWithLimits } from './new-nodes/new-nodes.ts';
import type { NodeTemplate } from './new-nodes/node-template.ts';
import { placeholderOf } from './new-nodes/in-flight-node.ts';
import type { QueuedPod } from './queued-pod.ts';
import type { UnusablePool } from '../plan.ts';
import type { IndexedSnapshot } from './indexed-snapshot.ts';
import type { PoolTemplate } from './indexed-pools.ts';
import { Topology } from '../topology/topology.ts';

/** What one run plans: the pods, the pools it may buy from, and the nodes that are not there. */
export interface PlanScope {
  readonly pods: readonly QueuedPod[];
  readonly pools: readonly Pool[];
  /** Nodes of the snapshot that pods could land on, but that are not there in this run. */
  readonly removedNodes: readonly ClusterNode[];
  /** Whether to look for a cheaper plan, and how far to go for it; `undefined` to plan as upstream does. */
  readonly packing: PackingOptions | undefined;
}

/** What a run changes as it places pods. */
export interface RunState {
  readonly topology: Topology;
  readonly reservations: Reservations;
  /** In the order in which the run asks them for a new node. */
  readonly pools: readonly TemplateWithLimits[];
  /** Of all pools, also those that cannot be used. */
  readonly templates: readonly PoolTemplate[];
}

/** The state before the first pod is placed. Runs share nothing of it. */
export function initialStateOf(index: IndexedSnapshot, scope: PlanScope): RunState {
  const templates = index.pools.templatesOf(scope.pools);
  return {
    topology: topologyOf(index, scope),
    reservations: new Reservations(scope.pools.map((pool) => index.pools.catalogueOf(pool).reservations)),
    pools: openPools(index, templates, scope.removedNodes),
    templates,
  };
}

/** The rules of a run, with nothing placed yet. */
export function topologyOf(index: IndexedSnapshot, { pods, pools, removedNodes }: PlanScope): Topology {
  const moving = new Set(pods.map(({ bound }) => bound).filter((bound) => bound !== undefined));
  const base = { ...index.topology, offeredDomains: index.pools.offeredDomainsOf(pools) };
  return new Topology(base, moving, removedNodes, { nameOf: placeholderOf });
}

export function isUnusable(template: NodeTemplate | UnusablePool): template is UnusablePool {
  return 'minValuesUnmet' in template;
}

function openPools(
  index: IndexedSnapshot,
  templates: readonly PoolTemplate[],
  removedNodes: readonly ClusterNode[],
): readonly TemplateWithLimits[] {
  const pools: TemplateWithLimits[] = [];
  for (const { pool, template } of templates) {
    if (!isUnusable(template)) pools.push({ template, limits: index.pools.findLimits(pool, template, removedNodes) });
  }
  return pools;
}
