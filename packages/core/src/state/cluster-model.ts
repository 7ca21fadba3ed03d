import type { NodeClaim, NodePool } from '@karpenter-ts/apis';
import {
  type CsiNode,
  type DaemonSet,
  type Node,
  objectKey,
  type Pod,
  type ResourceList,
} from '@karpenter-ts/kubernetes';
import { defineGauge, type Handler, MINUTE, SECOND } from '@karpenter-ts/runtime';
import type { Caches } from './caches.ts';
import type { ControllerDeps } from './controller-deps.ts';
import { isTerminal } from '../kinds/pod.ts';
import { isManagedNodeClaim, isManagedNodePool } from './managed.ts';
import type { TimeSlices } from './time-slices.ts';
import { followForConsolidation } from './consolidation-triggers.ts';
import { DaemonPods } from './daemon-pods.ts';
import type { MarkOwner } from './deletion-marks.ts';
import { NodePrices } from './node-prices.ts';
import type { PoolMembers } from './pool-members.ts';
import { StateNodes } from './state-nodes.ts';
import { PodDecisions } from './pod-decisions.ts';
import type { StateNode } from './state-node.ts';
import { SyncStatus } from './sync-status.ts';

const nodeCount = defineGauge('karpenter_cluster_state_node_count', [], 'Current count of nodes in cluster state');

/** What the cluster model depends on. */
export type ClusterDeps = Pick<ControllerDeps, 'clock' | 'logger' | 'metrics' | 'options' | 'provider'> & {
  readonly caches: Caches;
};

/** The state nodes at one moment. */
export interface ClusterSnapshot {
  readonly active: readonly StateNode[];
  readonly deleting: readonly StateNode[];
}

/** Consolidation looks again after this long without a change, because prices and offerings change without an event. */
const UNCONSOLIDATED_AFTER = 5 * MINUTE;

/**
 * The state of the cluster that decisions are made from: state nodes with their pods, what each NodePool uses, and
 * decisions that the caches do not show yet (spec 02 §5, 03 §12). The model follows the caches by itself, and the work
 * for an event depends on the size of the change only.
 *
 * Create the model before the caches start: it must see every event.
 */
export class ClusterModel {
  /** What was decided about each pod. */
  readonly decisions: PodDecisions;
  /** What the instances cost. */
  readonly prices: NodePrices;
  readonly #deps: ClusterDeps;
  readonly #stateNodes: StateNodes;
  readonly #daemonPods = new DaemonPods();
  readonly #syncStatus: SyncStatus;
  readonly #nominationWindow: number;
  readonly #trackListeners: ((nodeClaim: string) => void)[] = [];
  #hasEverSynced = false;
  #consolidationState = 0;
  #changedAt: number;

  constructor(deps: ClusterDeps) {
    const { caches, clock, options } = deps;
    this.#deps = deps;
    this.decisions = new PodDecisions(deps);
    this.prices = new NodePrices(caches);
    this.#syncStatus = new SyncStatus(deps);
    this.#stateNodes = new StateNodes({
      podsOn: (node) => caches.pods.byIndex('node', node),
      volumeLimitsOf: (node) => volumeLimits(caches.csiNodes.get(node)),
    });
    this.#nominationWindow = Math.max(2 * options.batchMaxDuration, 10 * SECOND); // spec 02 §24
    this.#changedAt = clock.elapsed();
    this.#follow();
  }

  /**
   * Whether decisions may rely on the model. They may not while a NodeClaim is not launched, because its capacity is
   * unknown, and not before all Nodes and NodeClaims have been seen once. Each call updates the metrics.
   */
  hasSynced(): boolean {
    this.#hasEverSynced ||=
      this.#haveCachesSynced() && this.#stateNodes.areAllIdentified && this.#stateNodes.areAllLaunched;
    const isSynced = this.#hasEverSynced && this.#stateNodes.areAllLaunched;
    this.#syncStatus.note(isSynced);
    return isSynced;
  }

  /**
   * As `snapshot`, but computes the state nodes that have changed in time slices first. The result is the state at the
   * end.
   */
  async snapshotInSlices(slices: TimeSlices): Promise<ClusterSnapshot> {
    for (const _described of this.#stateNodes.states()) if (slices.isOver) await slices.pause();
    return this.snapshot();
  }

  /** The state nodes as they are now. Only those that have changed since the last call are computed again. */
  snapshot(): ClusterSnapshot {
    const active: StateNode[] = [];
    const deleting: StateNode[] = [];
    for (const state of this.#stateNodes.states()) (state.isDeleting ? deleting : active).push(state);
    return { active, deleting };
  }

  /** Changes with every change of what `snapshot` returns. While it stays the same, a reader has nothing to do. */
  get revision(): number {
    return this.#stateNodes.revision;
  }

  /** The state node with this provider id. An unmanaged Node without a provider id is found by its name. */
  find(providerId: string): StateNode | undefined {
    return this.#stateNodes.find(providerId);
  }

  /**
   * The capacity of a NodePool's state nodes that are not deleting, with their number under `nodes`. Empty if there are
   * none.
   */
  usageOf(nodePool: string): ResourceList {
    return this.#stateNodes.usage.of(nodePool);
  }

  /** The state nodes and NodeClaims of a NodePool. The sets are live: copy them to keep them. */
  membersOf(nodePool: string): PoolMembers {
    return this.#stateNodes.members.of(nodePool);
  }

  /** The newest pod of a DaemonSet, if any was seen. */
  findDaemonPod({ metadata }: DaemonSet): Pod | undefined {
    return this.#daemonPods.find(metadata.uid ?? '');
  }

  /** Adds a NodeClaim that was just created, so that no decision is made without it before the caches show it. */
  track(nodeClaim: NodeClaim): void {
    const { name } = nodeClaim.metadata;
    if (this.#deps.caches.nodeClaims.get(name) !== undefined) return; // the cache has a newer version
    this.#putNodeClaim(nodeClaim);
    for (const listener of this.#trackListeners) listener(name);
  }

  /** Registers a listener for the names of NodeClaims that are known from `track` only. */
  onTrack(listener: (nodeClaim: string) => void): void {
    this.#trackListeners.push(listener);
  }

  /** Whether the model waits for the launch of this NodeClaim. */
  isUnlaunched(nodeClaim: string): boolean {
    return this.#stateNodes.isUnlaunched(nodeClaim);
  }

  /** Removes a NodeClaim that the caches never showed and that no longer exists. */
  drop(nodeClaim: string): void {
    this.#removeNodeClaim(nodeClaim);
  }

  /** Marks state nodes for deletion: nothing is planned onto them, and they no longer count as usage. */
  markForDeletion(owner: MarkOwner, providerIds: readonly string[]): void {
    for (const id of providerIds) this.#stateNodes.mark(id, owner);
  }

  /**
   * Takes the owner's marks back. A state node that another owner marks, or that is being deleted in the API server,
   * stays `isDeleting`.
   */
  unmarkForDeletion(owner: MarkOwner, providerIds: readonly string[]): void {
    for (const id of providerIds) this.#stateNodes.unmark(id, owner);
  }

  /** The owner has deleted its NodeClaims: their marks stay until the state nodes are gone. */
  completeDeletion(owner: MarkOwner): void {
    this.#stateNodes.completeMarks(owner);
  }

  /** Nominates state nodes: pods are expected there soon, so they must not be disrupted for a while. */
  nominate(...providerIds: readonly string[]): void {
    const until = this.#deps.clock.elapsed() + this.#nominationWindow;
    for (const id of providerIds) this.#stateNodes.nominate(id, until);
  }

  /** Pods are no longer expected there, because they have come or will not come. */
  endNomination(providerId: string): void {
    this.#stateNodes.nominate(providerId, 0);
  }

  isNominated(providerId: string): boolean {
    return this.#deps.clock.elapsed() < (this.find(providerId)?.nominatedUntil ?? 0);
  }

  /** Changes whenever consolidation might find something new (spec 04 §15). */
  consolidationState(): number {
    if (this.#deps.clock.elapsed() - this.#changedAt >= UNCONSOLIDATED_AFTER) this.markUnconsolidated();
    return this.#consolidationState;
  }

  /** Tells consolidation that something has changed. */
  markUnconsolidated(): void {
    this.#consolidationState++;
    this.#changedAt = this.#deps.clock.elapsed();
  }

  #follow(): void {
    const { caches, provider } = this.#deps;
    caches.nodes.addHandler({
      ...put((node: Node) => this.#stateNodesChanged(this.#stateNodes.putNode(node))),
      onDelete: ({ metadata }) => this.#stateNodesChanged(this.#stateNodes.removeNode(metadata.name)),
    });
    caches.nodeClaims.addHandler({
      ...put((nodeClaim: NodeClaim) => isManagedNodeClaim(nodeClaim, provider) && this.#putNodeClaim(nodeClaim)),
      onDelete: ({ metadata }) => this.#removeNodeClaim(metadata.name),
    });
    caches.pods.addHandler({
      onAdd: (pod) => this.#podChanged(undefined, pod),
      onUpdate: (old, pod) => this.#podChanged(old, pod),
      onDelete: (pod) => this.#podGone(pod),
    });
    const limitsChanged = ({ metadata }: CsiNode): void => this.#stateNodes.podsOrLimitsChanged(metadata.name);
    caches.csiNodes.addHandler({ ...put(limitsChanged), onDelete: limitsChanged });
    caches.daemonSets.addHandler({
      onAdd: ({ metadata }) => this.#daemonPods.addDaemonSet(metadata.uid ?? ''),
      onDelete: ({ metadata }) => this.#daemonPods.removeDaemonSet(metadata.uid ?? ''),
    });
    followForConsolidation(caches, () => this.markUnconsolidated());
    caches.nodePools.addHandler({
      onAdd: (nodePool) => this.#nodePoolChanged(undefined, nodePool),
      onUpdate: (old, nodePool) => this.#nodePoolChanged(old, nodePool),
    });
  }

  #putNodeClaim(nodeClaim: NodeClaim): void {
    this.#stateNodesChanged(this.#stateNodes.putNodeClaim(nodeClaim));
  }

  #removeNodeClaim(name: string): void {
    this.#stateNodesChanged(this.#stateNodes.removeNodeClaim(name));
  }

  #stateNodesChanged(matters: boolean): void {
    if (matters) this.markUnconsolidated();
    this.#deps.metrics.set(nodeCount, {}, this.#stateNodes.size);
  }

  #podChanged(old: Pod | undefined, pod: Pod): void {
    if (old === pod) return; // a resync: nothing has changed
    this.#daemonPods.see(old, pod);
    const before = old && findOccupiedNode(old);
    const after = findOccupiedNode(pod);
    if (before !== undefined) this.#stateNodes.podsOrLimitsChanged(before);
    if (after === undefined || after === before) return;
    this.#stateNodes.podsOrLimitsChanged(after);
    this.markUnconsolidated();
  }

  #podGone(pod: Pod): void {
    const { nodeName } = pod.spec; // set also if the end of the pod was not seen
    if (nodeName) this.#stateNodes.podsOrLimitsChanged(nodeName);
    this.#daemonPods.remove(pod);
    this.decisions.forget(objectKey(pod.metadata));
    this.markUnconsolidated();
  }

  #nodePoolChanged(old: NodePool | undefined, nodePool: NodePool): void {
    if (!isManagedNodePool(nodePool, this.#deps.provider)) return;
    if (old?.metadata.generation !== nodePool.metadata.generation) this.markUnconsolidated();
  }

  #haveCachesSynced(): boolean {
    const { nodes, nodeClaims, pods, csiNodes } = this.#deps.caches;
    return [nodes, nodeClaims, pods, csiNodes].every(({ hasSynced }) => hasSynced);
  }
}

/** A handler that treats additions and updates alike. */
function put<T>(take: (object: T) => unknown): Handler<T> {
  return {
    onAdd: (object) => void take(object),
    onUpdate: (_old, object) => void take(object),
  };
}

/** The Node whose resources a pod occupies; undefined if it occupies none. */
function findOccupiedNode(pod: Pod): string | undefined {
  return isTerminal(pod) ? undefined : pod.spec.nodeName || undefined;
}

/**
 * Attachable volumes by CSI driver. A driver without `allocatable` has no limit; `allocatable` without a count means
 * zero (spec 02 §5.2).
 */
function volumeLimits(csiNode: CsiNode | undefined): Readonly<Record<string, number>> {
  const limits: Record<string, number> = {};
  for (const { name, allocatable } of csiNode?.spec.drivers ?? []) {
    if (allocatable !== undefined) limits[name] = allocatable.count ?? 0;
  }
  return limits;
}
