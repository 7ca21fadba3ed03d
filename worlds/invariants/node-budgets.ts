import { NODEPOOL_LABEL } from '@karpenter-ts/apis';
import { isTrue } from '@karpenter-ts/kubernetes';
import type { Moment } from '../observer/moment.ts';
import type { ObservedCluster, PoolSample } from '../observer/observed-cluster.ts';
import type { StartedCommand } from '../observer/started-command.ts';
import { countAllowed } from './budget-windows.ts';
import type { Violation } from './violation.ts';

/**
 * Finds pools of which a command that starts now takes more nodes than their budgets allow. What the operator itself
 * disrupts counts as it is now; what others do to nodes, and what the budgets allow, may be as old as its caches.
 */
export function findExceededBudgets(
  cluster: ObservedCluster,
  command: StartedCommand,
  moment: Moment,
): readonly Violation[] {
  const own = new Set([...disruptedNodes(cluster), ...command.candidates.map(({ node }) => node)]);
  const pools = new Set(command.candidates.map(({ node }) => poolOf(cluster, node)));
  return [...pools].flatMap((pool): readonly Violation[] => {
    if (pool === undefined) return [];
    const samples = cluster.samplesOf(pool, moment.since);
    if (samples.length === 0 || samples.some((sample) => isWithin(sample, own, command.reason, moment))) return [];
    const { allowed, disrupting } = measure(samples.at(-1)!, own, command.reason, moment.walls[0]!);
    const detail = `${disrupting} nodes of ${pool} are disrupted for ${command.reason}, and ${allowed} may be`;
    return [{ invariant: 'node-budget', detail }];
  });
}

/** Nodes that a command has marked before. */
function disruptedNodes(cluster: ObservedCluster): readonly string[] {
  return cluster.claims.flatMap(({ nodeClaim }) => {
    const name = nodeClaim.status?.nodeName;
    return name !== undefined && isTrue(nodeClaim, 'DisruptionReason') ? [name] : [];
  });
}

function poolOf(cluster: ObservedCluster, node: string): string | undefined {
  return cluster.findNode(node)?.node.metadata.labels?.[NODEPOOL_LABEL];
}

/** A sample holds until the next one. Meanwhile windows may have opened and closed. */
function isWithin(sample: PoolSample, own: ReadonlySet<string>, reason: string, { walls }: Moment): boolean {
  return walls.some((wall) => {
    const { allowed, disrupting } = measure(sample, own, reason, wall);
    return disrupting <= allowed;
  });
}

function measure(
  { pool, nodes, unavailable }: PoolSample,
  own: ReadonlySet<string>,
  reason: string,
  wall: number,
): { readonly allowed: number; readonly disrupting: number } {
  const disrupting = [...nodes].filter((name) => own.has(name) || unavailable.has(name)).length;
  const budgets = pool.spec.disruption?.budgets ?? [];
  return { allowed: countAllowed(budgets, { reason, total: nodes.size, wall }), disrupting };
}
