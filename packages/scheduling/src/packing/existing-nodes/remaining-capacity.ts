import type { Requirement } from '@karpenter-ts/apis';
import type { HostPort } from '../../failure.ts';
import type { TaintTable } from '../../model/pods/taints.ts';
import { attachedVolumeClaims, VolumeUsage } from '../../checks/volume-limits.ts';
import type { VolumeObjects } from '../../model/pods/volume-objects.ts';
import { BitSet } from '../../model/interning/bit-set.ts';
import {
  addAmounts,
  type AmountReader,
  type Amounts,
  hasNegative,
  NO_AMOUNTS,
  type Pod,
  subtractAmounts,
} from '@karpenter-ts/kubernetes';
import { type Daemon, runsOnNode } from '../daemon.ts';
import type { Demand } from '../demand.ts';
import type { RequirementSets } from '../../model/requirements/requirement-set.ts';
import { sumRequests } from '../../model/resources/pod-requests.ts';
import type { ResourceTable } from '../../model/resources/resource-table.ts';
import type { BoundPods } from '../../model/nodes/bound-pods.ts';
import type { ClusterNode, ClusterNodes } from '../../model/nodes/cluster-nodes.ts';
import { Headroom } from './headroom.ts';
import { NodesByLabels } from './nodes-by-labels.ts';

export interface CapacityTables {
  readonly sets: RequirementSets;
  readonly taints: TaintTable;
  readonly amounts: AmountReader;
  readonly pods: BoundPods;
  readonly resources: ResourceTable;
  readonly volumes: VolumeObjects;
}

/**
 * In how much memory the answers of `mayFit` are kept, in words of 32 nodes. What-ifs about all nodes of a cluster ask for
 * each demand again and again; where there are too many demands for all answers to be kept, few are asked for twice.
 */
const MOST_KEPT_WORDS = 2 ** 20;

/** What existing nodes can still take before any run. Runs copy what they change. */
export class RemainingCapacity {
  readonly nodes: ClusterNodes;
  /** By node, then by resource. */
  readonly remaining: Float64Array;
  /** Ports in use, for nodes that have any. */
  readonly ports = new Map<number, readonly HostPort[]>();
  /** For nodes with limits on volumes. */
  readonly volumes = new Map<number, VolumeUsage>();
  /** Nodes that take no pods that were merely moved. */
  readonly refusingMoved: BitSet;
  /** For the work on one pod: nobody may rely on them when another pod is placed, in this run or another. */
  readonly scratch: { readonly candidates: BitSet; readonly inDomains: BitSet };
  /** Does not contain nodes that can take no pod at all. */
  readonly #nodesByLabels: NodesByLabels;
  /** By resource, once asked for. */
  readonly #headroom: (Headroom | undefined)[] = [];
  /** By demand. They shrink as runs find nodes that are too full. */
  readonly #mayFit = new Map<number, BitSet>();
  readonly #tables: CapacityTables;
  readonly #expected: ExpectedDaemons;

  constructor(nodes: ClusterNodes, daemons: readonly Daemon[], tables: CapacityTables) {
    this.nodes = nodes;
    this.#tables = tables;
    const width = tables.resources.names.length;
    this.remaining = new Float64Array(nodes.schedulableCount * width);
    const count = nodes.schedulableCount;
    this.refusingMoved = new BitSet(count);
    this.scratch = { candidates: new BitSet(count), inDomains: new BitSet(count) };
    this.#nodesByLabels = new NodesByLabels(tables);
    this.#expected = new ExpectedDaemons(daemons, tables);
  }

  /** Adds a node and the pods on it. It must be called for every node before anything is asked. */
  read(node: ClusterNode): void {
    if (node.index >= this.nodes.schedulableCount) return;
    this.#readRoom(node, this.#expected.on(node));
    this.#readUse(node);
  }

  /**
   * The nodes that may have room for a demand: all that have, apart from host ports and volumes, and a few that are too
   * full. Runs share the set: a caller may only drop nodes that have no room before any run.
   */
  mayFit(demand: Demand): BitSet {
    let nodes = this.#mayFit.get(demand.id);
    if (nodes === undefined) {
      nodes = this.#findFitting(demand);
      if (this.#mayFit.size * (this.nodes.schedulableCount / 32) < MOST_KEPT_WORDS) this.#mayFit.set(demand.id, nodes);
    }
    return nodes;
  }

  /** Whether other runs are given this set for the demand, too. */
  isShared(nodes: BitSet, { id }: Demand): boolean {
    return this.#mayFit.get(id) === nodes;
  }

  #findFitting({ requests, needs, avoided, tolerations }: Demand): BitSet {
    const nodes = new BitSet(this.nodes.schedulableCount);
    this.#nodesByLabels.findOpen(nodes, { tolerations, needs });
    for (let r = 0; r < requests.length; r++) {
      if (requests[r]! > 0 && !nodes.intersect(this.#headroomOf(r).withAbout(requests[r]!))) break;
    }
    for (const daemon of avoided) nodes.subtract(this.#expected.nodesOf(daemon));
    if (needs.hostname !== undefined) this.#keepNamed(nodes, needs.hostname);
    return nodes;
  }

  /** If the requirement lists hostnames, drops the nodes that are not listed. */
  #keepNamed(nodes: BitSet, { complement, values }: Requirement): void {
    if (complement || !this.nodes.isAligned) return;
    const named = new BitSet(this.nodes.schedulableCount);
    for (const name of values) {
      const host = this.nodes.hosts.find(name);
      if (host >= 0) named.add(host);
    }
    nodes.intersect(named);
  }

  #headroomOf(r: number): Headroom {
    const { length } = this.#tables.resources.names;
    this.#headroom[r] ??= new Headroom(
      Float64Array.from({ length: this.nodes.schedulableCount }, (_, node) => this.remaining[node * length + r]!),
    );
    return this.#headroom[r];
  }

  #readRoom(node: ClusterNode, daemons: Amounts): void {
    const { index, source } = node;
    const { amounts, pods, resources } = this.#tables;
    const used = sumRequests(pods.onNode(node).map(({ podClass }) => podClass.shape.requests));
    const left = subtractAmounts(subtractAmounts(amounts.read(source.allocatable), used), daemons);
    if (!hasNegative(left)) this.#nodesByLabels.add(node);
    this.remaining.set(resources.toTargets(left), index * resources.names.length);
  }

  #readUse(node: ClusterNode): void {
    const { index, source } = node;
    if (source.refusesMovedPods) this.refusingMoved.add(index);
    const ports = this.#tables.pods.onNode(node).flatMap(({ podClass }) => podClass.shape.ports);
    if (ports.length > 0) this.ports.set(index, ports);
    if (Object.keys(source.volumeLimits).length === 0) return;
    const usage = new VolumeUsage(source.volumeLimits);
    for (const pod of source.pods) usage.add(attachedVolumeClaims(pod, this.#tables.volumes));
    this.volumes.set(index, usage);
  }
}

/** Daemons that are expected on existing nodes (spec 02 §12.3). */
class ExpectedDaemons {
  readonly #daemons: readonly Daemon[];
  readonly #tables: CapacityTables;
  readonly #nodes = new Map<Daemon, BitSet>();

  constructor(daemons: readonly Daemon[], tables: CapacityTables) {
    this.#daemons = daemons;
    this.#tables = tables;
  }

  /** The nodes on which this daemon is expected, whether it runs there yet or not. */
  nodesOf(daemon: Daemon): BitSet {
    let nodes = this.#nodes.get(daemon);
    if (nodes === undefined) {
      nodes = new BitSet();
      this.#nodes.set(daemon, nodes);
    }
    return nodes;
  }

  /** The requests of the daemons that are expected on a node and do not run there yet. */
  on(node: ClusterNode): Amounts {
    const { sets, taints, pods } = this.#tables;
    const expected = this.#daemons.filter((daemon) => runsOnNode(daemon, node, sets, taints));
    if (expected.length === 0) return NO_AMOUNTS;
    for (const daemon of expected) this.nodesOf(daemon).add(node.index);
    const running = pods.onNode(node).filter(({ pod }) => isDaemonPod(pod));
    const present = running.map(({ podClass }) => podClass.shape.requests);
    const missing = subtractAmounts(sumRequests(expected.map(({ requests }) => requests)), addAmounts(...present));
    return new Map([...missing].filter(([, { nanos }]) => nanos > 0n));
  }
}

function isDaemonPod({ metadata }: Pod): boolean {
  return (
    metadata.ownerReferences?.some(({ apiVersion, kind }) => apiVersion === 'apps/v1' && kind === 'DaemonSet') === true
  );
}
