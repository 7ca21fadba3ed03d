import { admits } from '@karpenter-ts/apis';
import { type HostPort, portsConflict } from '../checks/host-ports.ts';
import type { VolumeUsage } from '../checks/volume-limits.ts';
import type { ClusterNode } from '../cluster/cluster-nodes.ts';
import type { ExistingRoom } from '../cluster/existing-room.ts';
import { BitSet } from '../interning/bit-set.ts';
import type { RequirementSet, RequirementSets } from '../requirements/requirement-set.ts';
import type { Census } from '../topology/census.ts';
import type { Restriction } from '../topology/restriction.ts';
import type { Placement } from '../topology/topology.ts';
import type { Demand } from './demand.ts';
import type { QueuedPod } from './queued-pod.ts';

/**
 * The existing nodes in one run. What a run changes of them is copied when it first does; the base stays as it is.
 *
 * Finding the first node that takes a pod starts from the set of nodes its demand may fit on, drops those that topology
 * closes, all 32 at a time, and asks the rest one by one in order.
 */
export class ExistingField {
  readonly #room: ExistingRoom;
  readonly #census: Census;
  readonly #sets: RequirementSets;
  readonly #gone: BitSet;
  #remaining: Float64Array;
  #ownsRemaining = false;
  readonly #fitting = new Map<number, BitSet>();
  /** Nodes that a pod gave a label they did not have: upstream lets them take pods they would have refused before. */
  readonly #narrowed = new Map<number, RequirementSet>();
  readonly #narrowedNodes = new BitSet();
  readonly #ports = new Map<number, readonly HostPort[]>();
  readonly #volumes = new Map<number, VolumeUsage>();
  readonly #candidates = new BitSet();
  readonly #inDomains = new BitSet();

  constructor(room: ExistingRoom, census: Census, sets: RequirementSets, gone: BitSet) {
    this.#room = room;
    this.#census = census;
    this.#sets = sets;
    this.#gone = gone;
    this.#remaining = room.remaining;
  }

  /** Whether it matters on some node which volumes a pod brings. */
  get limitsVolumes(): boolean {
    return this.#room.volumes.size > 0;
  }

  /** Puts the pod on the first node that takes it, and says where; `undefined` if none does. */
  place(queued: QueuedPod, demand: Demand, restriction: Restriction): (Placement & { node: ClusterNode }) | undefined {
    if (this.#room.nodes.open === 0 || restriction.isHopeless) return undefined;
    const fitting = this.#fittingNow(demand);
    const candidates = this.#candidates;
    candidates.copyFrom(fitting);
    candidates.unite(this.#narrowedNodes);
    if (queued.podClass.isMoved) candidates.subtract(this.#room.refusingMoved);
    this.#restrict(candidates, restriction);
    for (let i = candidates.next(0); i >= 0; i = candidates.next(i + 1)) {
      if (!this.#hasRoom(i, demand)) {
        fitting.delete(i);
        continue;
      }
      const set = this.#accept(i, queued, demand, restriction);
      if (set !== undefined) return this.#put(i, queued, demand, set);
    }
    return undefined;
  }

  #fittingNow(demand: Demand): BitSet {
    let fitting = this.#fitting.get(demand.id);
    if (fitting === undefined) {
      fitting = this.#room.mayFit(demand);
      fitting.subtract(this.#gone);
      this.#fitting.set(demand.id, fitting);
    }
    return fitting;
  }

  #restrict(candidates: BitSet, { choices, hosts }: Restriction): void {
    if (this.#room.nodes.isAligned) {
      for (const host of hosts) host.restrict(candidates, host.group.existing);
    }
    for (const choice of choices) {
      const nodesIn = this.#census.nodesIn(choice.domains);
      this.#inDomains.copyFrom(this.#narrowedNodes);
      for (let domain = 0; domain < nodesIn.length; domain++) {
        const nodes = nodesIn[domain];
        if (nodes !== undefined && choice.has(domain)) this.#inDomains.unite(nodes);
      }
      candidates.intersect(this.#inDomains);
    }
  }

  #hasRoom(i: number, { requests }: Demand): boolean {
    const at = i * requests.length;
    for (let r = 0; r < requests.length; r++) if (requests[r]! > this.#remaining[at + r]!) return false;
    return true;
  }

  /** The node's requirements with the pod on it; `undefined` if it does not take it (spec 02 §8.4). */
  #accept(i: number, queued: QueuedPod, demand: Demand, restriction: Restriction): RequirementSet | undefined {
    const node = this.#room.nodes.all[i]!;
    const volumes = this.#volumes.get(i) ?? this.#room.volumes.get(i);
    if (volumes !== undefined && !volumes.allows(queued.claims)) return undefined;
    if (demand.ports.length > 0 && portsConflict(demand.ports, this.#portsOf(i))) return undefined;
    for (const host of restriction.hosts) {
      if (!host.accepts(host.group.existing.count(node.host), node.hostname)) return undefined;
    }
    const set = this.#narrowed.get(i) ?? node.set;
    if (!this.#room.admits(i, demand) || !this.#sets.accepts(set, demand.needs.set, 'strictly')) return undefined;
    const merged = this.#sets.merge(set, demand.needs.set);
    for (const alternative of demand.volumeAlternatives) {
      if (alternative.hostname !== undefined && !admits(alternative.hostname, node.hostname)) continue;
      if (!this.#sets.accepts(merged, alternative.set, 'strictly')) continue;
      const [narrowed] = restriction.narrow(this.#sets.merge(merged, alternative.set), 'strictly') ?? [];
      if (narrowed !== undefined) return narrowed;
    }
    return undefined;
  }

  #put(i: number, queued: QueuedPod, demand: Demand, set: RequirementSet) {
    const node = this.#room.nodes.all[i]!;
    if (!this.#ownsRemaining) {
      this.#remaining = this.#remaining.slice();
      this.#ownsRemaining = true;
    }
    const { requests, ports } = demand;
    for (let r = 0; r < requests.length; r++) this.#remaining[i * requests.length + r]! -= requests[r]!;
    if (set !== (this.#narrowed.get(i) ?? node.set)) {
      this.#narrowed.set(i, set);
      this.#narrowedNodes.add(i);
    }
    if (ports.length > 0) this.#ports.set(i, [...this.#portsOf(i), ...ports]);
    if (queued.claims.length > 0) this.#attach(i, queued);
    return { node, set, taints: node.taints, hostname: node.hostname, host: node.host, isPlanned: false };
  }

  #portsOf(i: number): readonly HostPort[] {
    return this.#ports.get(i) ?? this.#room.ports.get(i) ?? [];
  }

  #attach(i: number, { claims }: QueuedPod): void {
    const usage = this.#volumes.get(i) ?? this.#room.volumes.get(i)?.clone();
    if (usage === undefined) return;
    usage.add(claims);
    this.#volumes.set(i, usage);
  }
}
