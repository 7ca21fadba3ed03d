import { compareByWeight, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import type { PoolLimits } from '../checks/pool-limits.ts';
import { attachedClaims } from '../checks/volume-limits.ts';
import { BoundPods } from '../model/nodes/bound-pods.ts';
import { type ClusterNode, ClusterNodes } from '../model/nodes/cluster-nodes.ts';
import { RemainingCapacity } from './existing-nodes/remaining-capacity.ts';
import type { Catalogue } from '../model/instance-types/catalogue.ts';
import { Catalogues } from '../model/instance-types/catalogues.ts';
import type { InstanceType, PlanningOptions, Pool, Snapshot } from '../snapshot.ts';
import { Market } from '../model/instance-types/market.ts';
import { InternTables } from '../model/intern-tables.ts';
import type { Pod } from '@karpenter-ts/kubernetes';
import { podId } from '../model/pods/pod-id.ts';
import { type Daemon, daemonsOf } from './daemon.ts';
import { DaemonPeers } from './daemon-peers.ts';
import { Demands } from './demand.ts';
import { type NodeTemplate, templateOf } from './new-nodes/node-template.ts';
import { PodClasses } from '../model/pods/pod-class.ts';
import type { PodShape } from '../model/pods/pod-shape.ts';
import type { QueuedPod } from './queued-pod.ts';
import type { UnusablePool } from '../plan.ts';
import type { Progress, Reading } from '../progress.ts';
import { ResourceTable } from '../model/resources/resource-table.ts';
import { DomainCounts } from '../topology/domain-counts.ts';
import { InverseAntiAffinity } from '../topology/inverse-anti-affinity.ts';
import type { RuleTables } from '../topology/rule.ts';
import { TopologyRules } from '../topology/topology-rules.ts';
import { OfferedDomains } from '../topology/offered-domains.ts';

/** How many pods, and nodes with theirs, are read between two chances to pause: a few milliseconds of work. */
const STEP = 256;
const NODE_STEP = 16;

/** A pool and what new nodes of it start from, if any can. */
export interface PoolTemplate {
  readonly pool: Pool;
  readonly template: NodeTemplate | UnusablePool;
}

/**
 * A snapshot in numbers, with everything that no run changes: read once, asked many times. Its tables grow when a run
 * brings something new, but what they say stays true; so runs may take turns on it.
 */
export class IndexedSnapshot {
  readonly snapshot: Snapshot;
  readonly options: PlanningOptions;
  readonly catalogues: Catalogues;
  readonly internTables: InternTables;
  readonly rules: RuleTables;
  readonly resources: ResourceTable;
  readonly classes: PodClasses;
  readonly demands: Demands;
  readonly nodes: ClusterNodes;
  readonly pods: BoundPods;
  readonly remainingCapacity: RemainingCapacity;
  readonly domainCounts: DomainCounts;
  readonly topologyRules: TopologyRules;
  readonly inverseAntiAffinity: InverseAntiAffinity;
  /** The snapshot's own pods. */
  readonly queued: QueuedPod[] = [];
  #pending: ReadonlySet<string> | undefined;
  readonly #daemons: readonly Daemon[];
  readonly #deletingNames: ReadonlySet<string>;
  readonly #markets = new Map<readonly InstanceType[], Market>();
  readonly #templates = new Map<Pool, NodeTemplate | UnusablePool>();
  readonly #limits = new Map<Pool, PoolLimits>();
  #nodesByPool: ReadonlyMap<string | undefined, readonly ClusterNode[]> | undefined;
  readonly #offeredDomains = new WeakMap<readonly Pool[], OfferedDomains>();

  /** Use `indexSnapshot`. */
  constructor(parts: IndexParts) {
    const { snapshot, internTables, resources, classes, nodes, pods, remainingCapacity } = parts;
    const { sets, taints, namespaces, domains, options } = internTables;
    this.snapshot = snapshot;
    this.options = options;
    this.catalogues = parts.catalogues;
    this.internTables = internTables;
    this.rules = { sets, taints, namespaces, profile: options.profile };
    this.resources = resources;
    this.classes = classes;
    this.nodes = nodes;
    this.pods = pods;
    this.remainingCapacity = remainingCapacity;
    this.domainCounts = new DomainCounts(nodes, pods, domains, this.rules);
    this.topologyRules = new TopologyRules(this.rules);
    const peers = new DaemonPeers(parts.daemons, this.topologyRules, options.profile.wellKnownLabels);
    this.demands = new Demands(resources, peers);
    this.inverseAntiAffinity = new InverseAntiAffinity(nodes, domains, this.topologyRules);
    this.#daemons = parts.daemons;
    this.#deletingNames = new Set(snapshot.deletingNodes.map(({ name }) => name));
  }

  /** Takes in one of the snapshot's own pods. */
  enqueue(pod: Pod, shape: PodShape): void {
    this.queued.push(this.#toQueued(pod, shape));
  }

  /** Whether a pod is one of the snapshot's own. */
  isPending(pod: Pod): boolean {
    this.#pending ??= new Set(this.snapshot.pods.map(podId));
    return this.#pending.has(podId(pod));
  }

  /** The pools in the order they are asked, with their templates (spec 02 §7). */
  templatesOf(pools: readonly Pool[]): readonly PoolTemplate[] {
    return pools
      .toSorted((a, b) => compareByWeight(a.nodePool, b.nodePool))
      .map((pool) => ({ pool, template: this.#templateOf(pool) }));
  }

  catalogueOf({ instanceTypes }: Pool): Catalogue {
    return this.catalogues.of(instanceTypes, this.options.profile);
  }

  /** What a pool may still grow by with its nodes but those that are gone; `undefined` if it has no limits. */
  findLimits(pool: Pool, { limits }: NodeTemplate, removedNodes: readonly ClusterNode[]): PoolLimits | undefined {
    if (limits === undefined) return undefined;
    const { name } = pool.nodePool.metadata;
    let counted = this.#limits.get(pool);
    if (counted === undefined) {
      counted = limits.clone();
      for (const node of this.#nodesOf(name)) this.#count(counted, node, name, 1);
      this.#limits.set(pool, counted);
    }
    const left = counted.clone();
    for (const node of removedNodes) this.#count(left, node, name, -1);
    return left;
  }

  /** The domains new nodes of these pools could be in. */
  offeredDomainsOf(pools: readonly Pool[]): OfferedDomains {
    let offeredDomains = this.#offeredDomains.get(pools);
    if (offeredDomains === undefined) {
      const offered = pools.map((pool) => ({ pool, catalogue: this.catalogueOf(pool) }));
      offeredDomains = new OfferedDomains(offered, this.options.profile, this.internTables.taints);
      this.#offeredDomains.set(pools, offeredDomains);
    }
    return offeredDomains;
  }

  /** A pod as a run places it; `undefined` if the index has not the words for it and must be built anew with it. */
  findQueued(pod: Pod): QueuedPod | undefined {
    const bound = this.pods.find(pod);
    const isKnown = this.internTables.namespaces.isKnown(pod.metadata.namespace ?? 'default');
    const shape = bound?.podClass.shape ?? this.internTables.read(pod);
    if (!isKnown || this.internTables.referencedLabels.hasLateLabels || !this.resources.knows(shape.requests))
      return undefined;
    return this.#toQueued(pod, shape);
  }

  #toQueued(pod: Pod, shape: PodShape): QueuedPod {
    const isPending = pod.status?.phase === 'Pending' || this.#deletingNames.has(pod.spec.nodeName ?? '');
    const podClass = this.classes.of(pod, shape, !isPending);
    const requests = this.demands.requestsOf(shape);
    const claims = pod.spec.volumes === undefined ? [] : attachedClaims(pod, this.internTables.volumes);
    return { pod, podClass, requests, volumeClaims: claims };
  }

  #templateOf(pool: Pool): NodeTemplate | UnusablePool {
    let template = this.#templates.get(pool);
    if (template === undefined) {
      const { sets, taints, amounts } = this.internTables;
      const { profile, minValuesPolicy } = this.options;
      const tables = { sets, taints, amounts, resources: this.resources, profile, minValuesPolicy };
      template = templateOf(pool, this.#marketOf(pool.instanceTypes), this.#daemons, tables);
      this.#templates.set(pool, template);
    }
    return template;
  }

  #nodesOf(nodePool: string): readonly ClusterNode[] {
    this.#nodesByPool ??= Map.groupBy(
      this.nodes.all.slice(0, this.nodes.schedulableCount),
      ({ source }) => source.labels[NODEPOOL_LABEL],
    );
    return this.#nodesByPool.get(nodePool) ?? [];
  }

  #count(limits: PoolLimits, { source }: ClusterNode, nodePool: string, times: 1 | -1): void {
    if (source.labels[NODEPOOL_LABEL] !== nodePool) return;
    limits.countNode(this.internTables.amounts.read(source.capacity), times);
  }

  #marketOf(types: readonly InstanceType[]): Market {
    let market = this.#markets.get(types);
    if (market === undefined) {
      market = new Market(this.catalogues.of(types, this.options.profile), this.internTables.sets, this.resources);
      this.#markets.set(types, market);
    }
    return market;
  }
}

interface IndexParts {
  readonly snapshot: Snapshot;
  readonly catalogues: Catalogues;
  readonly internTables: InternTables;
  readonly resources: ResourceTable;
  readonly classes: PodClasses;
  readonly nodes: ClusterNodes;
  readonly pods: BoundPods;
  readonly remainingCapacity: RemainingCapacity;
  readonly daemons: readonly Daemon[];
}

/** Reads a snapshot. The catalogues are the only thing worth keeping from one snapshot to the next. */
export function* indexSnapshot(
  snapshot: Snapshot,
  options: PlanningOptions,
  catalogues: Catalogues = new Catalogues(),
): Reading<IndexedSnapshot> {
  const internTables = new InternTables(snapshot, options);
  const deletingNodes = [...snapshot.deletingNodes, ...(snapshot.absentNodes ?? [])];
  const bound = [...snapshot.nodes, ...deletingNodes].flatMap(({ pods }) => pods);
  const all = [...snapshot.daemonPods, ...snapshot.pods, ...bound];
  const shapes = new Map<Pod, PodShape>();
  for (const [i, pod] of all.entries()) {
    if (i % STEP === 0) yield reading(all.length - i);
    shapes.set(pod, internTables.read(pod));
  }
  internTables.referencedLabels.close();
  const { sets, taints, amounts, volumes, referencedLabels } = internTables;
  const { profile, ignoreDraRequests } = options;
  const resources = new ResourceTable(internTables.resources);
  const classes = new PodClasses(referencedLabels.podLabels);
  const words = { shapes: internTables.shapes, classes };
  const daemons = daemonsOf(snapshot.daemonPods, words, taints, ignoreDraRequests);
  const nodes = new ClusterNodes(snapshot.nodes, deletingNodes, referencedLabels.nodeLabels, { sets, taints, profile });
  const pods = new BoundPods();
  const remainingCapacity = new RemainingCapacity(nodes, daemons, { sets, taints, amounts, pods, resources, volumes });
  for (let node = nodes.readNext(); node !== undefined; node = nodes.readNext()) {
    if (node.index % NODE_STEP === 0) yield reading(snapshot.pods.length);
    for (const pod of node.source.pods) pods.add(pod, classes.of(pod, shapes.get(pod)!, true), node);
    remainingCapacity.read(node);
  }
  for (const { instanceTypes } of snapshot.pools) {
    for (const _ of catalogues.read(instanceTypes, profile)) yield reading(snapshot.pods.length);
  }
  const index = new IndexedSnapshot({
    snapshot,
    catalogues,
    internTables,
    resources,
    classes,
    nodes,
    pods,
    remainingCapacity,
    daemons,
  });
  for (const ofKind of pods.kinds()) {
    yield reading(snapshot.pods.length);
    index.inverseAntiAffinity.read(ofKind);
  }
  for (const [i, pod] of snapshot.pods.entries()) {
    if (i % STEP === 0) yield reading(snapshot.pods.length - i);
    index.enqueue(pod, shapes.get(pod)!);
  }
  return index;
}

function reading(waiting: number): Progress {
  return { phase: 'reading', waiting };
}
