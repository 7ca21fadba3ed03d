import { admits } from '@karpenter-ts/apis';
import type { HostPort } from '../../failure.ts';
import { portsConflict } from '../../model/pods/host-ports.ts';
import type { VolumeUsage } from '../../checks/volume-limits.ts';
import type { ClusterNode } from '../../model/nodes/cluster-nodes.ts';
import type { RemainingCapacity } from './remaining-capacity.ts';
import type { BitSet } from '../../model/interning/bit-set.ts';
import type { NodeNeeds, RequirementSets } from '../../model/requirements/requirement-set.ts';
import type { DomainCounts } from '../../topology/domain-counts.ts';
import type { Restriction } from '../../topology/restriction.ts';
import type { Placement } from '../../topology/topology.ts';
import type { Demand } from '../demand.ts';
import { FIXED_NODE } from '../new-nodes/node-supply.ts';
import type { QueuedPod } from '../queued-pod.ts';
import type { ResourceVector } from '../../model/resources/resource-table.ts';

/** How many nodes' room a run keeps apart before it copies that of all. */
const MOST_CHANGED = 32;

/**
 * The existing nodes in one run. A run copies what it changes of their capacity node by node, so other runs do not see the
 * change, and a run that places a few pods costs as much among thousands of nodes as among ten.
 *
 * The search for the first node that takes a pod starts from the nodes that may have room for its demand. It drops the
 * nodes that topology rules out, 32 at a time, and then checks the rest one by one in their order.
 */
export class ExistingNodes {
  readonly #capacity: RemainingCapacity;
  readonly #domainCounts: DomainCounts;
  readonly #sets: RequirementSets;
  readonly #removedNodes: readonly number[];
  #remaining: Float64Array;
  /** What is left on nodes that have taken a pod, until there are so many that the run copies all of `#remaining`. */
  #changed: Map<number, Float64Array> | undefined = new Map();
  /** By demand: the nodes that may still have room. A set that runs share is copied when a node is full for this run only. */
  readonly #fitting = new Map<number, BitSet>();
  readonly #ports = new Map<number, readonly HostPort[]>();
  readonly #volumes = new Map<number, VolumeUsage>();

  constructor(
    remainingCapacity: RemainingCapacity,
    domainCounts: DomainCounts,
    sets: RequirementSets,
    removedNodes: readonly number[],
  ) {
    this.#capacity = remainingCapacity;
    this.#domainCounts = domainCounts;
    this.#sets = sets;
    this.#removedNodes = removedNodes;
    this.#remaining = remainingCapacity.remaining;
  }

  /** Whether it matters on some node which volumes a pod brings. */
  get limitsVolumes(): boolean {
    return this.#capacity.volumes.size > 0;
  }

  /** Puts the pod on the first node that takes it, and says where; `undefined` if none does. */
  place(queued: QueuedPod, demand: Demand, restriction: Restriction): (Placement & { node: ClusterNode }) | undefined {
    if (this.#capacity.nodes.schedulableCount === 0 || restriction.isUnsatisfiable) return undefined;
    const { candidates } = this.#capacity.scratch;
    candidates.copyFrom(this.#fittingNow(demand));
    for (const node of this.#removedNodes) candidates.delete(node);
    if (queued.podClass.isMoved) candidates.subtract(this.#capacity.refusingMoved);
    this.#restrict(candidates, restriction);
    for (let i = candidates.next(0); i >= 0; i = candidates.next(i + 1)) {
      if (!this.#hasRoom(i, demand)) this.#drop(i, demand);
      else if (this.#accepts(i, queued, demand, restriction)) return this.#put(i, queued, demand);
    }
    return undefined;
  }

  #fittingNow(demand: Demand): BitSet {
    let fitting = this.#fitting.get(demand.id);
    if (fitting === undefined) {
      fitting = this.#capacity.mayFit(demand);
      this.#fitting.set(demand.id, fitting);
    }
    return fitting;
  }

  /** Remembers that a node has no room for a demand: for this run only, if it was this run that has filled it. */
  #drop(i: number, demand: Demand): void {
    let fitting = this.#fittingNow(demand);
    const isUnchanged = this.#changed !== undefined && !this.#changed.has(i);
    if (!isUnchanged && this.#capacity.isShared(fitting, demand)) {
      fitting = fitting.clone();
      this.#fitting.set(demand.id, fitting);
    }
    fitting.delete(i);
  }

  #restrict(candidates: BitSet, { choices, hosts }: Restriction): void {
    if (this.#capacity.nodes.isAligned) {
      for (const host of hosts) if (!host.restrict(candidates, host.group.existing)) return;
    }
    const { inDomains } = this.#capacity.scratch;
    for (const choice of choices) {
      const nodesIn = this.#domainCounts.nodesIn(choice.domains);
      inDomains.clear();
      for (let domain = 0; domain < nodesIn.length; domain++) {
        const nodes = nodesIn[domain];
        if (nodes !== undefined && choice.has(domain)) inDomains.unite(nodes);
      }
      candidates.intersect(inDomains);
    }
  }

  #hasRoom(i: number, { requests }: Demand): boolean {
    const changed = this.#changed?.get(i);
    const remaining = changed ?? this.#remaining;
    const at = changed === undefined ? i * requests.length : 0;
    for (let r = 0; r < requests.length; r++) if (requests[r]! > remaining[at + r]!) return false;
    return true;
  }

  /**
   * Whether the node takes the pod (spec 02 §8.4). Its labels are what they are: a pod that does without a label gives it
   * none, so it lets on no others that ask for one (upstream's remark 19).
   */
  #accepts(i: number, queued: QueuedPod, demand: Demand, restriction: Restriction): boolean {
    const node = this.#capacity.nodes.all[i]!;
    const { set, hostname } = node;
    const volumes = this.#volumes.get(i) ?? this.#capacity.volumes.get(i);
    if (volumes !== undefined && !volumes.allows(queued.volumeClaims)) return false;
    if (demand.ports.length > 0 && portsConflict(demand.ports, this.#portsOf(i))) return false;
    if (!restriction.hosts.every((host) => host.accepts(host.group.existing.count(node.host), hostname))) return false;
    if (restriction.narrow(set, 'strictly', FIXED_NODE) === undefined) return false;
    const isMet = (needs: NodeNeeds) =>
      (needs.hostname === undefined || admits(needs.hostname, hostname)) &&
      this.#sets.accepts(set, needs.set, 'strictly');
    return isMet(demand.needs) && demand.volumeAlternatives.some(isMet);
  }

  #put(i: number, queued: QueuedPod, demand: Demand) {
    const node = this.#capacity.nodes.all[i]!;
    const { requests, ports } = demand;
    this.#use(i, requests);
    if (ports.length > 0) this.#ports.set(i, [...this.#portsOf(i), ...ports]);
    if (queued.volumeClaims.length > 0) this.#attach(i, queued);
    const { set, taints, hostname, host } = node;
    return { node, set, taints, hostname, host, isPlanned: false };
  }

  #use(i: number, requests: ResourceVector): void {
    const width = requests.length;
    if (this.#changed === undefined) {
      for (let r = 0; r < width; r++) this.#remaining[i * width + r]! -= requests[r]!;
      return;
    }
    let left = this.#changed.get(i);
    if (left === undefined) {
      left = this.#remaining.slice(i * width, (i + 1) * width);
      this.#changed.set(i, left);
    }
    for (let r = 0; r < width; r++) left[r]! -= requests[r]!;
    if (this.#changed.size > MOST_CHANGED) this.#copyAll(this.#changed, width);
  }

  /** A what-if of one node changes a handful of others. A plan that changes many is faster on a copy of its own. */
  #copyAll(changed: ReadonlyMap<number, Float64Array>, width: number): void {
    this.#remaining = this.#remaining.slice();
    for (const [i, left] of changed) this.#remaining.set(left, i * width);
    this.#changed = undefined;
  }

  #portsOf(i: number): readonly HostPort[] {
    return this.#ports.get(i) ?? this.#capacity.ports.get(i) ?? [];
  }

  #attach(i: number, { volumeClaims }: QueuedPod): void {
    const usage = this.#volumes.get(i) ?? this.#capacity.volumes.get(i)?.clone();
    if (usage === undefined) return;
    usage.add(volumeClaims);
    this.#volumes.set(i, usage);
  }
}
