import type { DisruptionSettings, NodePool } from '@karpenter-ts/apis';
import { UnevaluatedNodePoolError } from '@karpenter-ts/cloudprovider';
import type { Pod } from '@karpenter-ts/kubernetes';
import { findCause, LoggedRef, type Logger } from '@karpenter-ts/runtime';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { PoolSettings } from '../../options/pool-settings.ts';
import type { PodDisruptionBudgets } from '../../pods/disruption-budgets.ts';
import { selectPendingPods } from '../../pods/pending-pods.ts';
import type { Caches } from '../../state/caches.ts';
import type { ClusterModel, ClusterSnapshot } from '../../state/cluster-model.ts';
import type { ControllerDeps } from '../../state/controller-deps.ts';
import { isManagedNodePool } from '../../state/managed.ts';
import { podsOn } from '../../state/node-nodeclaim-links.ts';
import type { TimeSlices } from '../../state/time-slices.ts';
import type { DisruptionPool, DisruptionState } from './disruption-state.ts';

/** What the state of a pass is read from. */
export type StateDeps = Pick<ControllerDeps, 'clock' | 'options' | 'provider'> & {
  readonly caches: Caches;
  readonly cluster: Pick<ClusterModel, 'snapshotInSlices'>;
  readonly podDisruptionBudgets: PodDisruptionBudgets;
  /** The commands that are being carried out. */
  readonly queue: { has(providerId: string): boolean; isReplacement(nodeClaim: string): boolean };
};

/** Reads what a pass of disruption decides from. One is made for the process: it keeps indexes of instance types. */
export class DisruptionStateReader {
  readonly #deps: StateDeps;
  readonly #settings: PoolSettings;
  /** By the uid of the NodePool: what its annotations said when the present pass first read them. */
  #settingsOfPass = new Map<string, DisruptionSettings>();
  /** By the array that the provider returns, which is the same one as long as its types do not change. */
  readonly #typesByName = new WeakMap<readonly InstanceType[], ReadonlyMap<string, InstanceType>>();

  constructor(deps: StateDeps) {
    this.#deps = deps;
    this.#settings = new PoolSettings(deps.options);
  }

  /** Annotations that are edited during a pass count from the next one on. */
  beginPass(): void {
    this.#settingsOfPass = new Map();
  }

  /** Reads it in time slices. Rejects only if it was aborted. */
  async read(slices: TimeSlices, logger: Logger): Promise<DisruptionState> {
    const { caches, clock, cluster, podDisruptionBudgets, provider, queue } = this.#deps;
    const pools = await this.#readPools(slices.signal, logger);
    // Nodes are read before pods, as the provisioner does: a pod that binds in between then counts on no node or on its
    // own, and never as pending on a node that is full of it.
    const stateNodes = await cluster.snapshotInSlices(slices);
    const pods = await this.#readPods(stateNodes, slices);
    const { selected } = await selectPendingPods({ caches, provider }, slices);
    const elapsed = clock.elapsed();
    return {
      now: clock.now(),
      stateNodes,
      pools,
      pendingPods: selected,
      podDisruptionBudgets,
      podsOn: (nodeName) => pods.get(nodeName) ?? NO_PODS,
      isNominated: ({ nodeClaim, nominatedUntil }) =>
        elapsed < nominatedUntil || (nodeClaim !== undefined && queue.isReplacement(nodeClaim.metadata.name)),
      isQueued: (providerId) => queue.has(providerId),
    };
  }

  async #readPools(signal: AbortSignal, logger: Logger): Promise<ReadonlyMap<string, DisruptionPool>> {
    const { caches, provider } = this.#deps;
    const managed = caches.nodePools.list().filter((nodePool) => isManagedNodePool(nodePool, provider));
    const pools = managed.map(async (nodePool) => {
      const offered = await this.#listTypes(nodePool, signal, logger);
      return { nodePool, settings: this.#settingsOf(nodePool), offered, instanceTypes: this.#indexByName(offered) };
    });
    return new Map((await Promise.all(pools)).map((pool) => [pool.nodePool.metadata.name, pool]));
  }

  #settingsOf(nodePool: NodePool): DisruptionSettings {
    const { uid = nodePool.metadata.name } = nodePool.metadata;
    const settings = this.#settingsOfPass.get(uid) ?? this.#settings.of(nodePool);
    this.#settingsOfPass.set(uid, settings);
    return settings;
  }

  async #listTypes(nodePool: NodePool, signal: AbortSignal, logger: Logger): Promise<readonly InstanceType[]> {
    const { name } = nodePool.metadata;
    try {
      return await this.#deps.provider.instanceTypes(nodePool, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (findCause(error, UnevaluatedNodePoolError)) {
        logger.error('skipping, node overlays are not applied', error, { NodePool: new LoggedRef({ name }) });
      } else {
        logger.error('failed listing instance types', error, { nodepool: name });
      }
      return NO_TYPES;
    }
  }

  #indexByName(types: readonly InstanceType[]): ReadonlyMap<string, InstanceType> {
    let byName = this.#typesByName.get(types);
    if (byName === undefined) {
      byName = new Map(types.map((type) => [type.name, type]));
      this.#typesByName.set(types, byName);
    }
    return byName;
  }

  async #readPods(
    { active, deleting }: ClusterSnapshot,
    slices: TimeSlices,
  ): Promise<ReadonlyMap<string, readonly Pod[]>> {
    const pods = new Map<string, readonly Pod[]>();
    for (const stateNodes of [active, deleting]) {
      for (const { node } of stateNodes) {
        if (slices.isOver) await slices.pause();
        if (node !== undefined) pods.set(node.metadata.name, podsOn(node.metadata.name, this.#deps.caches));
      }
    }
    return pods;
  }
}

/** Always the same array, so that it is indexed once. */
const NO_TYPES: readonly InstanceType[] = [];
const NO_PODS: readonly Pod[] = [];
