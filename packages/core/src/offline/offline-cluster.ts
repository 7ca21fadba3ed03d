import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  NODE_CLAIMS,
  NODE_POOLS,
  type NodeClaim,
  type NodePool,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import {
  CSI_NODES,
  type CsiNode,
  DAEMON_SETS,
  type DaemonSet,
  type Namespace,
  NAMESPACES,
  type Node,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  PODS,
  STORAGE_CLASSES,
  type StorageClass,
} from '@karpenter-ts/kubernetes';
import { FilledCache, type Instant, Metrics, nullLogger, realClock } from '@karpenter-ts/runtime';
import { Catalogues, type PlanningOptions } from '@karpenter-ts/scheduling';
import { OfferingPrices } from '../disruption/candidates/offering-prices.ts';
import type { SimulatorDeps } from '../disruption/simulation/planning-simulator.ts';
import type { OperatorOptions } from '../options/operator-options.ts';
import { PlannerDriver } from '../planning/planner-driver.ts';
import { planningOptions } from '../planning/planning-options.ts';
import { PodDisruptionBudgets } from '../pods/disruption-budgets.ts';
import { type Caches, NODE_CLAIM_STORE, NODE_POOL_STORE, NODE_STORE, POD_STORE } from '../state/caches.ts';
import { ClusterModel } from '../state/cluster-model.ts';
import { TimeSlices } from '../state/time-slices.ts';
import { type Catalogue, OfflineProvider } from './offline-provider.ts';
import { StillClock } from './still-clock.ts';

/** A cluster at one moment. */
export interface OfflineObjects {
  readonly now: Instant;
  readonly options: OperatorOptions;
  readonly catalogue: Catalogue;
  readonly nodePools: readonly NodePool[];
  readonly nodes: readonly Node[];
  readonly nodeClaims: readonly NodeClaim[];
  /** Bound and pending ones. */
  readonly pods: readonly Pod[];
  readonly daemonSets: readonly DaemonSet[];
  readonly namespaces: readonly Namespace[];
  readonly disruptionBudgets: readonly PodDisruptionBudget[];
  /** Names of Nodes on which pods are expected. */
  readonly nominated: readonly string[];
  /** Names of Nodes whose deletion is decided. */
  readonly markedForDeletion: readonly string[];
}

/**
 * A cluster without an API server and without a cloud: the controllers' model and caches over given objects, with a
 * clock that stands still. What the controllers decide from theirs is decided from this by the same code, and changes of
 * the caches show what the cluster would be like after a decision.
 */
export class OfflineCluster {
  readonly clock: StillClock;
  readonly options: OperatorOptions;
  readonly provider: OfflineProvider;
  readonly caches = {
    // Sharing parts would write to objects that another cluster may hold as well.
    pods: new FilledCache<Pod, 'node'>(PODS, { ...POD_STORE, sharedParts: [] }),
    nodes: new FilledCache(NODES, NODE_STORE),
    nodeClaims: new FilledCache(NODE_CLAIMS, NODE_CLAIM_STORE),
    nodePools: new FilledCache(NODE_POOLS, NODE_POOL_STORE),
    daemonSets: new FilledCache<DaemonSet>(DAEMON_SETS, {}),
    namespaces: new FilledCache<Namespace>(NAMESPACES, {}),
    disruptionBudgets: new FilledCache<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, {}),
    persistentVolumes: new FilledCache<PersistentVolume>(PERSISTENT_VOLUMES, {}),
    persistentVolumeClaims: new FilledCache<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, {}),
    storageClasses: new FilledCache<StorageClass>(STORAGE_CLASSES, {}),
    csiNodes: new FilledCache<CsiNode>(CSI_NODES, {}),
  } satisfies Caches;
  readonly model: ClusterModel;
  readonly podDisruptionBudgets: PodDisruptionBudgets;
  /** For planning and logging, whose figures nobody reads here. */
  readonly metrics = new Metrics(realClock);
  readonly logger = nullLogger;
  /** One for all plans, so that the instance types are indexed once. */
  readonly driver = new PlannerDriver({
    clock: realClock,
    metrics: this.metrics,
    controller: 'offline',
    catalogues: new Catalogues(),
  });
  /** Owns the marks of the file. */
  readonly #markOwner = {};

  constructor(objects: OfflineObjects) {
    this.clock = new StillClock(objects.now);
    this.options = objects.options;
    this.provider = new OfflineProvider(objects.catalogue, [
      ...objects.nodePools.map(({ spec }) => spec.template.spec.nodeClassRef),
      ...objects.nodeClaims.map(({ spec }) => spec.nodeClassRef),
    ]);
    const { caches, clock, options, provider, metrics, logger } = this;
    this.model = new ClusterModel({ caches, clock, options, provider, metrics, logger });
    this.podDisruptionBudgets = new PodDisruptionBudgets(caches);
    this.#fill(objects);
    this.model.nominate(...objects.nominated.map((name) => this.#idOf(name)));
    this.mark(objects.markedForDeletion);
  }

  /** Time slices for one piece of work. They follow the real time, because the cluster's own stands still. */
  slices(signal: AbortSignal): TimeSlices {
    return new TimeSlices(realClock, signal);
  }

  /** What simulations of a pass depend on. They plan as policy Upstream, as what-ifs always do. */
  simulatorDeps(): SimulatorDeps {
    const { caches, model, logger } = this;
    return { caches, cluster: model, clock: realClock, logger, driver: this.driver, options: this.planningOptions() };
  }

  /** As the provisioner plans. */
  planningOptions(): PlanningOptions {
    return { ...planningOptions(this.options, this.provider), packing: undefined };
  }

  /** Marks Nodes for deletion. A mark goes with its Node. */
  mark(nodes: readonly string[]): void {
    this.model.markForDeletion(
      this.#markOwner,
      nodes.map((name) => this.#idOf(name)),
    );
    this.model.completeDeletion(this.#markOwner);
  }

  /** From now on no pods are expected on any node but those that it has. */
  endNominations(): void {
    for (const { providerId, nominatedUntil } of this.model.snapshot().active) {
      if (nominatedUntil > 0) this.model.endNomination(providerId);
    }
  }

  /** The price of all instances that exist, deleting ones included. Those of unknown price do not count. */
  pricePerHour(): number {
    const prices = new OfferingPrices();
    const types = new Map(this.provider.catalogue.map((type) => [type.name, type]));
    let sum = 0;
    for (const { metadata, status } of this.caches.nodeClaims.list()) {
      const { labels = {} } = metadata;
      if (!status?.providerID) continue;
      const purchase = { zone: labels[ZONE_LABEL] ?? '', capacityType: labels[CAPACITY_TYPE_LABEL] ?? '' };
      sum += prices.find(types.get(labels[INSTANCE_TYPE_LABEL] ?? ''), purchase) ?? 0;
    }
    return sum;
  }

  /** The model's key of a Node. */
  #idOf(nodeName: string): string {
    return this.caches.nodes.get(nodeName)?.spec?.providerID || nodeName;
  }

  #fill(objects: OfflineObjects): void {
    const { caches } = this;
    for (const one of objects.namespaces) caches.namespaces.put(one);
    for (const one of objects.nodePools) caches.nodePools.put(one);
    for (const one of objects.daemonSets) caches.daemonSets.put(one);
    for (const one of objects.nodeClaims) caches.nodeClaims.put(one);
    for (const one of objects.nodes) caches.nodes.put(one);
    for (const one of objects.pods) caches.pods.put(one);
    for (const one of objects.disruptionBudgets) caches.disruptionBudgets.put(one);
  }
}
