import type { NodeClaim, NodePool } from '@karpenter-ts/apis';
import { objectKey, type ResourceList } from '@karpenter-ts/kubernetes';
import { defineGauge, type Handler, MINUTE, SECOND } from '@karpenter-ts/runtime';
import type { DaemonSet } from '@karpenter-ts/scheduling';
import type { ControllerDeps } from './controller-deps.ts';
import type { Node } from '../kinds/node.ts';
import { isTerminal, type Pod } from '../kinds/pod.ts';
import type { CsiNode } from '../kinds/storage.ts';
import { isManagedNodeClaim, isManagedNodePool } from './managed.ts';
import type { TimeSlices } from './time-slices.ts';
import { DaemonPods } from './daemon-pods.ts';
import { StateNodes } from './state-nodes.ts';
import { PodDecisions } from './pod-decisions.ts';
import type { StateNode } from './state-node.ts';
import { SyncStatus } from './sync-status.ts';

const nodeCount = defineGauge('karpenter_cluster_state_node_count', [], 'Current count of nodes in cluster state');

/** All the model touches. */
export type ClusterDeps = Pick<ControllerDeps, 'caches' | 'clock' | 'logger' | 'metrics' | 'options' | 'provider'>;

/** The machines at one moment. */
export interface ClusterSnapshot {
  readonly active: readonly StateNode[];
  readonly deleting: readonly StateNode[];
}

/** After this long without a change consolidation looks again: prices and offerings change without telling us. */
const UNCONSOLIDATED_AFTER = 5 * MINUTE;

/**
 * What the cluster is, as decisions need it: machines with what runs on them, what pools hold, what has been decided but
 * is not to be seen yet (spec 02 §5, 03 §12). It follows the caches by itself, each event at the cost of its change, and
 * has taken in whatever they have. Make it before they start.
 */
export class ClusterModel {
  /** What has been decided about pods. */
  readonly decisions: PodDecisions;
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
   * Whether decisions may rely on the model: not while a NodeClaim is unlaunched, for nobody knows what it will hold;
   * and not before all Nodes and NodeClaims have been taken in once. Every question is shown in metrics.
   */
  hasSynced(): boolean {
    this.#hasEverSynced ||=
      this.#haveCachesSynced() && this.#stateNodes.areAllIdentified && this.#stateNodes.areAllLaunched;
    const isSynced = this.#hasEverSynced && this.#stateNodes.areAllLaunched;
    this.#syncStatus.note(isSynced);
    return isSynced;
  }

  /** The machines as they are at its end: those that have changed are described anew before, slice by slice. */
  async snapshotInSlices(slices: TimeSlices): Promise<ClusterSnapshot> {
    for (const _described of this.#stateNodes.states()) if (slices.isOver) await slices.pause();
    return this.snapshot();
  }

  /** The machines as they are now. Costs as many steps as there are machines; only changed ones are described anew. */
  snapshot(): ClusterSnapshot {
    const active: StateNode[] = [];
    const deleting: StateNode[] = [];
    for (const state of this.#stateNodes.states()) (state.isDeleting ? deleting : active).push(state);
    return { active, deleting };
  }

  /** A number that is another after every change of what `snapshot` gives: while it stays, nothing is to be looked at. */
  get revision(): number {
    return this.#stateNodes.revision;
  }

  /** The machine of this provider id; that of an unmanaged Node without one goes by the Node's name. */
  find(providerId: string): StateNode | undefined {
    return this.#stateNodes.find(providerId);
  }

  /** What the machines of a NodePool hold that are not leaving, and how many they are (`nodes`); empty without any. */
  usageOf(nodePool: string): ResourceList {
    return this.#stateNodes.usage.of(nodePool);
  }

  /** The newest pod of a DaemonSet. */
  findDaemonPod({ metadata }: DaemonSet): Pod | undefined {
    return this.#daemonPods.find(metadata.uid ?? '');
  }

  /** Takes in a NodeClaim that was just created, so that no decision is made before its machine is known. */
  track(nodeClaim: NodeClaim): void {
    const { name } = nodeClaim.metadata;
    if (this.#deps.caches.nodeClaims.get(name) !== undefined) return; // what the cache has is newer
    this.#putNodeClaim(nodeClaim);
    for (const listener of this.#trackListeners) listener(name);
  }

  /** From now on `listener` learns the name of every NodeClaim that is known from `track` alone. */
  onTrack(listener: (nodeClaim: string) => void): void {
    this.#trackListeners.push(listener);
  }

  /** Whether a NodeClaim is waited for. */
  isUnlaunched(nodeClaim: string): boolean {
    return this.#stateNodes.isUnlaunched(nodeClaim);
  }

  /** Forgets a NodeClaim that is gone; the caches do so by themselves, unless they never had it. */
  drop(nodeClaim: string): void {
    this.#removeNodeClaim(nodeClaim);
  }

  /** These machines will go: they count for nothing any more. */
  markForDeletion(...providerIds: readonly string[]): void {
    for (const id of providerIds) this.#stateNodes.mark(id, true);
  }

  /** These will stay after all, unless they are being deleted. */
  unmarkForDeletion(...providerIds: readonly string[]): void {
    for (const id of providerIds) this.#stateNodes.mark(id, false);
  }

  /** Pods are expected on these machines soon: they are not to be disrupted for a while. */
  nominate(...providerIds: readonly string[]): void {
    const until = this.#deps.clock.elapsed() + this.#nominationWindow;
    for (const id of providerIds) this.#stateNodes.nominate(id, until);
  }

  isNominated(providerId: string): boolean {
    return this.#deps.clock.elapsed() < (this.find(providerId)?.nominatedUntil ?? 0);
  }

  /** A number that is another whenever consolidation might find something new (spec 04 §15). */
  consolidationState(): number {
    if (this.#deps.clock.elapsed() - this.#changedAt >= UNCONSOLIDATED_AFTER) this.markUnconsolidated();
    return this.#consolidationState;
  }

  /** Something has changed that may let consolidation find more. */
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
    if (old === pod) return; // a resync
    this.#daemonPods.see(old, pod);
    const before = old && findOccupiedNode(old);
    const after = findOccupiedNode(pod);
    if (before !== undefined) this.#stateNodes.podsOrLimitsChanged(before);
    if (after === undefined || after === before) return;
    this.#stateNodes.podsOrLimitsChanged(after);
    this.markUnconsolidated();
  }

  #podGone(pod: Pod): void {
    const { nodeName } = pod.spec; // also of one that ended unseen
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

/** A handler that makes no difference between what is new and what has changed. */
function put<T>(take: (object: T) => unknown): Handler<T> {
  return {
    onAdd: (object) => void take(object),
    onUpdate: (_old, object) => void take(object),
  };
}

/** The Node whose room a pod takes; undefined if it takes none. */
function findOccupiedNode(pod: Pod): string | undefined {
  return isTerminal(pod) ? undefined : pod.spec.nodeName || undefined;
}

/** Drivers that say nothing have no limit; one that leaves out the number of volumes has none to give (spec 02 §5.2). */
function volumeLimits(csiNode: CsiNode | undefined): Readonly<Record<string, number>> {
  const limits: Record<string, number> = {};
  for (const { name, allocatable } of csiNode?.spec.drivers ?? []) {
    if (allocatable !== undefined) limits[name] = allocatable.count ?? 0;
  }
  return limits;
}
