import type { Pod } from '@karpenter-ts/kubernetes';
import { Catalogues } from '../model/instance-types/catalogues.ts';
import { InternTables } from '../model/intern-tables.ts';
import { BoundPods } from '../model/nodes/bound-pods.ts';
import { ClusterNodes } from '../model/nodes/cluster-nodes.ts';
import { PodClasses } from '../model/pods/pod-class.ts';
import type { PodShape } from '../model/pods/pod-shape.ts';
import { ResourceTable } from '../model/resources/resource-table.ts';
import type { Progress, Reading } from '../progress.ts';
import type { ExistingNode, PlanningOptions, Snapshot } from '../snapshot.ts';
import { DomainCounts } from '../topology/domain-counts.ts';
import { InverseAntiAffinity } from '../topology/inverse-anti-affinity.ts';
import type { ClusterTopology } from '../topology/topology.ts';
import { TopologyRules } from '../topology/topology-rules.ts';
import { daemonsOf } from './daemon.ts';
import { DaemonPeers } from './daemon-peers.ts';
import { Demands } from './demand.ts';
import { RemainingCapacity } from './existing-nodes/remaining-capacity.ts';
import { IndexedPools } from './indexed-pools.ts';
import { QueuedPods } from './queued-pods.ts';

/** How many pods, and nodes with their pods, are read between two chances to pause: a few milliseconds of work. */
const STEP = 256;
const NODE_STEP = 16;

/**
 * A snapshot in numbers: everything that no run changes. It is read once and planned many times. Its tables grow when a run
 * brings something new, but their entries never change, so runs may take turns.
 */
export interface IndexedSnapshot {
  readonly snapshot: Snapshot;
  readonly options: PlanningOptions;
  readonly catalogues: Catalogues;
  readonly internTables: InternTables;
  readonly resources: ResourceTable;
  readonly demands: Demands;
  /** The nodes, the pods that are bound to them, and what the nodes can still take. */
  readonly nodes: ClusterNodes;
  readonly bound: BoundPods;
  readonly remainingCapacity: RemainingCapacity;
  /** What topology knows of the cluster before any run. */
  readonly topology: ClusterTopology;
  readonly pools: IndexedPools;
  /** The pods that are to be placed. */
  readonly queue: QueuedPods;
}

/** Reads a snapshot. Pass the same catalogues for the next snapshot: they are all that is worth keeping. */
export function* indexSnapshot(
  snapshot: Snapshot,
  options: PlanningOptions,
  catalogues: Catalogues = new Catalogues(),
): Reading<IndexedSnapshot> {
  const internTables = new InternTables(snapshot, options);
  const deletingNodes = [...snapshot.deletingNodes, ...(snapshot.absentNodes ?? [])];
  const shapes = new Map<Pod, PodShape>();
  let left = 0;
  for (const pods of podsByOrigin(snapshot, deletingNodes)) left += pods.length;
  let read = 0;
  for (const pods of podsByOrigin(snapshot, deletingNodes)) {
    for (const pod of pods) {
      if (read++ % STEP === 0) yield reading(left);
      left--;
      shapes.set(pod, internTables.read(pod));
    }
  }
  internTables.referencedLabels.close();
  const { sets, taints, amounts, volumes, referencedLabels } = internTables;
  const { profile, ignoreDraRequests } = options;
  const resources = new ResourceTable(internTables.resources);
  const classes = new PodClasses(referencedLabels.podLabels);
  const podTables = { shapes: internTables.shapes, classes };
  const daemons = daemonsOf(snapshot.daemonPods, podTables, taints, ignoreDraRequests);
  yield reading(snapshot.pods.length);
  const nodes = new ClusterNodes(snapshot.nodes, deletingNodes, referencedLabels.nodeLabels, { sets, taints, profile });
  yield reading(snapshot.pods.length);
  const bound = new BoundPods();
  const remainingCapacity = new RemainingCapacity(nodes, daemons, {
    sets,
    taints,
    amounts,
    pods: bound,
    resources,
    volumes,
  });
  for (let node = nodes.readNext(); node !== undefined; node = nodes.readNext()) {
    if (node.index % NODE_STEP === 0) yield reading(snapshot.pods.length);
    for (const pod of node.source.pods) bound.add(pod, classes.of(pod, shapes.get(pod)!, true), node);
    remainingCapacity.read(node);
  }
  for (const { instanceTypes } of snapshot.pools) {
    for (const _ of catalogues.read(instanceTypes, profile)) yield reading(snapshot.pods.length);
  }
  const rules = { sets, taints, namespaces: internTables.namespaces, profile };
  const topologyRules = new TopologyRules(rules);
  const topology = {
    rules,
    topologyRules,
    domains: internTables.domains,
    domainCounts: new DomainCounts(nodes, bound, internTables.domains, rules),
    inverseAntiAffinity: new InverseAntiAffinity(nodes, internTables.domains, topologyRules),
  };
  const peers = new DaemonPeers(daemons, topologyRules, profile.wellKnownLabels);
  const demands = new Demands(resources, peers);
  for (const ofKind of bound.kinds()) {
    yield reading(snapshot.pods.length);
    topology.inverseAntiAffinity.read(ofKind);
  }
  const queue = new QueuedPods(snapshot, { internTables, resources, classes, demands, bound });
  for (const [i, pod] of snapshot.pods.entries()) {
    if (i % STEP === 0) yield reading(snapshot.pods.length - i);
    queue.add(pod, shapes.get(pod)!);
  }
  const pools = new IndexedPools({ internTables, catalogues, resources, nodes, daemons });
  return {
    snapshot,
    options,
    catalogues,
    internTables,
    resources,
    demands,
    nodes,
    bound,
    remainingCapacity,
    topology,
    pools,
    queue,
  };
}

/** All pods of a snapshot, in the lists it has them in: those of thousands of nodes would take a while to join. */
function* podsByOrigin(
  { daemonPods, pods, nodes }: Snapshot,
  deletingNodes: readonly ExistingNode[],
): Iterable<readonly Pod[]> {
  yield daemonPods;
  yield pods;
  for (const node of nodes) yield node.pods;
  for (const node of deletingNodes) yield node.pods;
}

function reading(waiting: number): Progress {
  return { phase: 'reading', waiting };
}
