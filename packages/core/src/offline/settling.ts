import { MINUTE } from '@karpenter-ts/runtime';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { Plan, PlanningOptions } from '@karpenter-ts/scheduling';
import { planningSnapshot } from '../planning/planning-snapshot.ts';
import { findUsablePools } from '../planning/usable-pools.ts';
import { findDisplacedPods } from '../pods/displaced-pods.ts';
import { selectPendingPods } from '../pods/pending-pods.ts';
import { NO_DYNAMIC_NODE_POOLS, renderPodFailure } from '../state/pod-failure.ts';
import type { OfflineCluster } from './offline-cluster.ts';
import type { BoughtNode, PlanExecution } from './plan-execution.ts';
import { makeReady } from './ready-nodes.ts';

/** As long as the provisioner plans. */
const DEADLINE = 1 * MINUTE;

/** What the provisioner does about pending pods and the pods of deleting nodes. */
export interface PendingPodsPlan {
  /** Undefined if there is nothing to plan. */
  readonly plan: Plan | undefined;
  /** Pods that no plan looks at. The controller tells of them in events and in its log. */
  readonly leftOut: readonly { readonly pod: Pod; readonly reason: string }[];
}

/** Plans as the provisioner does, for all that is pending now. */
export async function planPendingPods(
  cluster: OfflineCluster,
  options: PlanningOptions,
  signal: AbortSignal,
): Promise<PendingPodsPlan> {
  const { caches, clock, driver, logger, model, podDisruptionBudgets, provider } = cluster;
  const slices = cluster.slices(signal);
  const stateNodes = await model.snapshotInSlices(slices);
  const { selected, ignored } = await selectPendingPods({ caches, provider }, slices);
  const displaced = await findDisplacedPods(stateNodes.deleting, { caches, clock, podDisruptionBudgets }, slices);
  const pods = [...selected, ...displaced.pods];
  const pools = await findUsablePools({ caches, provider, logger }, signal);
  const leftOut = ignored.map(({ pod, rejection }) => ({ pod, reason: renderPodFailure(rejection) }));
  if (pools.length === 0) {
    const reason = renderPodFailure(NO_DYNAMIC_NODE_POOLS);
    return { plan: undefined, leftOut: [...leftOut, ...pods.map((pod) => ({ pod, reason }))] };
  }
  if (pods.length === 0) return { plan: undefined, leftOut };
  const snapshot = planningSnapshot({ stateNodes, pools, pods }, caches, model);
  const planner = await driver.read({ snapshot, options }, slices);
  return { plan: await planner.plan({ slices, logger, deadline: DEADLINE }), leftOut };
}

/**
 * Lets a cluster come to rest: deleting nodes go, pending pods get nodes as far as there are any for them, and all nodes
 * become ready. Returns the nodes that were bought.
 */
export async function settle(
  cluster: OfflineCluster,
  execution: PlanExecution,
  signal: AbortSignal,
): Promise<readonly BoughtNode[]> {
  const bought: BoughtNode[] = [];
  let looked: ReadonlySet<string> = new Set();
  for (;;) {
    const { deleting } = cluster.model.snapshot();
    const pending = pendingKeys(cluster);
    if (deleting.length === 0 && pending.isSubsetOf(looked)) break;
    const { plan } = await planPendingPods(cluster, cluster.planningOptions(), signal);
    bought.push(...execution.carryOut(plan, deleting));
    makeReady(cluster);
    looked = pending.intersection(pendingKeys(cluster));
  }
  makeReady(cluster);
  return bought;
}

/** The uids tell a pod from the one that takes its place. */
function pendingKeys({ caches }: OfflineCluster): Set<string> {
  const pending = caches.pods.byIndex('node', '');
  return new Set(pending.map(({ metadata }) => `${metadata.namespace}/${metadata.name}/${metadata.uid}`));
}
