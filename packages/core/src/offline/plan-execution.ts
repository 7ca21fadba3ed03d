import { objectKey, type Pod } from '@karpenter-ts/kubernetes';
import { type Plan, type PlannedNode, podName } from '@karpenter-ts/scheduling';
import { isReschedulable } from '../pods/predicates.ts';
import type { StateNode } from '../state/state-node.ts';
import { findPurchase, toReadyNode } from './node-purchase.ts';
import type { OfflineCluster } from './offline-cluster.ts';

/** A node that was bought. */
export interface BoughtNode {
  readonly name: string;
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
}

/** Changes an offline cluster as the controllers, kube-scheduler and the kubelets would in the end. */
export class PlanExecution {
  readonly #cluster: OfflineCluster;
  /** Of all nodes bought, so that each has a name of its own. */
  #bought = 0;

  constructor(cluster: OfflineCluster) {
    this.#cluster = cluster;
  }

  /**
   * Buys the new nodes of a plan and binds its pods, then removes the nodes. Their pods without a place are pending
   * afterwards, if somebody creates them again. Without a plan no pod has a place. Returns the nodes that were bought.
   */
  carryOut(plan: Plan | undefined, removed: readonly StateNode[]): readonly BoughtNode[] {
    const { nodes, nodeClaims, pods } = this.#cluster.caches;
    const bought: BoughtNode[] = [];
    const nodeOf = new Map<string, string>(); // by namespace/name of the pod
    for (const planned of plan?.newNodes ?? []) {
      const node = this.#buy(planned);
      if (node === undefined) continue;
      bought.push(node);
      for (const { pod } of planned.pods) nodeOf.set(podName(pod), node.name);
    }
    for (const { node, pods: placed } of plan?.existingNodes ?? []) {
      for (const { pod } of placed) nodeOf.set(podName(pod), node);
    }
    const moving = removed.flatMap(({ node }) => (node === undefined ? [] : pods.byIndex('node', node.metadata.name)));
    for (const pod of moving) this.#move(pod, nodeOf.get(podName(pod)));
    for (const pod of pods.byIndex('node', '')) {
      const nodeName = nodeOf.get(podName(pod));
      if (nodeName !== undefined) pods.put(asBound(pod, nodeName));
    }
    for (const { node, nodeClaim } of removed) {
      if (nodeClaim !== undefined) nodeClaims.remove(nodeClaim.metadata.name);
      if (node !== undefined) nodes.remove(node.metadata.name);
    }
    return bought;
  }

  #buy(planned: PlannedNode): BoughtNode | undefined {
    const { provider, caches, clock } = this.#cluster;
    const nodePool = caches.nodePools.get(planned.nodePool)!; // plans are made from these
    const purchase = findPurchase(planned, provider);
    if (purchase === undefined) return undefined;
    const name = `${planned.nodePool}-new-${String(++this.#bought).padStart(3, '0')}`;
    const { nodeClaim, node } = toReadyNode({ planned, nodePool, purchase, name, now: clock.now() }, provider);
    caches.nodeClaims.put(nodeClaim);
    caches.nodes.put(node);
    const { instanceType, zone, capacityType } = purchase;
    return { name, nodePool: planned.nodePool, instanceType: instanceType.name, zone, capacityType };
  }

  #move(pod: Pod, nodeName: string | undefined): void {
    const { pods } = this.#cluster.caches;
    if (nodeName !== undefined) pods.put(asBound(pod, nodeName));
    else if (isReschedulable(pod)) pods.put(asPending(pod));
    else pods.remove(objectKey(pod.metadata));
  }
}

/** The pod that its workload creates for it, once it runs on a node. */
function asBound(pod: Pod, nodeName: string): Pod {
  const startTime = pod.status?.startTime;
  return {
    ...pod,
    metadata: withoutDeletion(pod.metadata),
    spec: { ...pod.spec, nodeName },
    status: { phase: 'Running', ...(startTime !== undefined && { startTime }) },
  };
}

/** The pod that its workload creates for it, while there is no node for it. */
function asPending(pod: Pod): Pod {
  const { nodeName: _, ...spec } = pod.spec;
  const unschedulable = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' } as const;
  return {
    ...pod,
    metadata: withoutDeletion(pod.metadata),
    spec,
    status: { phase: 'Pending', conditions: [unschedulable] },
  };
}

function withoutDeletion(metadata: Pod['metadata']): Pod['metadata'] {
  const { deletionTimestamp: _, ...rest } = metadata;
  return rest;
}
