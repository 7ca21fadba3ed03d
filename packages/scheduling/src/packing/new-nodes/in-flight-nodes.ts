import { BitSet } from '../../model/interning/bit-set.ts';
import { LabelIndex } from '../../model/requirements/label-index.ts';
import type { RequirementSets } from '../../model/requirements/requirement-set.ts';
import type { Domains } from '../../model/requirements/domains.ts';
import type { KeyChoice } from '../../topology/key-choice.ts';
import type { Restriction } from '../../topology/restriction.ts';
import type { Acceptance } from './acceptance.ts';
import type { Demand } from '../demand.ts';
import { FewestFirst } from './fewest-first.ts';
import type { InFlightNode } from './in-flight-node.ts';
import { ShrinkingHeadroom } from './shrinking-headroom.ts';

/**
 * The nodes that one run has planned so far, with what is known about which of them refuse which demand. Upstream calls them
 * in-flight NodeClaims.
 */
export class InFlightNodes {
  readonly nodes: InFlightNode[] = [];
  readonly #sets: RequirementSets;
  readonly #order = new FewestFirst();
  /** By demand: nodes that will never take it. */
  readonly #refusing: (BitSet | undefined)[] = [];
  /** By demand and domains: nodes that will not take it as long as rules leave it these. */
  readonly #refusingIn = new Map<string, BitSet>();
  /** By resource, then by node: the most that another pod may request. Some instance type of the node has that much. */
  readonly #room: number[][] = [];
  readonly #headroom: ShrinkingHeadroom[] = [];
  /** By custom label some pod asks for: nodes that will have it. */
  readonly #defining = new Map<number, BitSet>();
  readonly #labels: LabelIndex;
  /** By key in use, then by domain: nodes that may yet be in it. */
  readonly #nodesIn = new Map<Domains, BitSet[]>();
  readonly #candidates = new BitSet();
  readonly #inDomains = new BitSet();

  constructor(sets: RequirementSets) {
    this.#sets = sets;
    this.#labels = new LabelIndex(sets, 'loosely');
  }

  /**
   * The first node that takes the pod and what it becomes, which is valid until the next check; `undefined` if none does.
   */
  find(demand: Demand, restriction: Restriction, acceptance: Acceptance) {
    if (this.nodes.length === 0 || restriction.isUnsatisfiable) return undefined;
    const candidates = this.#candidates;
    candidates.fill(this.nodes.length);
    const refusing = this.#refusing[demand.id];
    if (refusing !== undefined) candidates.subtract(refusing);
    const refusingIn = this.#findRefusingIn(demand, restriction);
    if (refusingIn !== undefined) candidates.subtract(refusingIn);
    for (const key of this.#sets.labelsToDefine(demand.needs.set)) candidates.intersect(this.#nodesDefining(key));
    for (const host of restriction.hosts) if (!host.restrict(candidates, host.group.planned)) return undefined;
    for (const choice of restriction.choices) this.#restrict(candidates, choice);
    this.#labels.restrict(candidates, demand.needs.set);
    for (let r = 0; r < this.#headroom.length; r++) {
      if (demand.requests[r]! > 0) this.#headroom[r]!.restrict(candidates, demand.requests[r]!);
    }
    const areFew = this.#order.areFew(candidates);
    if (areFew) this.#dropFull(candidates, demand);
    for (let i = this.#order.firstOf(candidates, areFew); i >= 0; i = this.#order.firstOf(candidates, areFew, i)) {
      if (!this.#mayHaveRoom(i, demand)) {
        this.#refuse(demand, i);
        continue;
      }
      const result = acceptance.check(this.nodes[i]!, demand, restriction, 'Keep');
      if (result.isAccepted) return { node: this.nodes[i]!, accepted: result };
      if (result.lasting === 'ForGood') this.#refuse(demand, i);
      else if (result.lasting === 'InTheseDomains') this.#refuseIn(domainsKey(demand, restriction), i);
    }
    return undefined;
  }

  /** A node was opened with its first pod. */
  add(node: InFlightNode): void {
    this.nodes.push(node);
    this.#order.add();
    this.#measure(node);
    this.#indexLabels(node);
  }

  /** A node took one more pod, which may have narrowed it. */
  update(node: InFlightNode, isNarrowed: boolean): void {
    this.#order.promote(node.index);
    this.#measure(node);
    if (isNarrowed) this.#indexLabels(node);
  }

  #indexLabels(node: InFlightNode): void {
    this.#labels.set(node.index, node.set);
    for (const [domains, nodesIn] of this.#nodesIn) this.#index(node, domains, nodesIn);
    if (this.#defining.size === 0) return;
    for (const id of node.set.ids) this.#defining.get(this.#sets.table.keyOf(id))?.add(node.index);
  }

  /** Kept from the first time a label is asked for: a node that has a label keeps it. */
  #nodesDefining(key: number): BitSet {
    let nodes = this.#defining.get(key);
    if (nodes === undefined) {
      nodes = new BitSet(this.nodes.length);
      for (const { index, set } of this.nodes) if (set.find(key) >= 0) nodes.add(index);
      this.#defining.set(key, nodes);
    }
    return nodes;
  }

  #refuse({ id }: Demand, node: number): void {
    this.#refusing[id] ??= new BitSet(this.nodes.length);
    this.#refusing[id].add(node);
  }

  #findRefusingIn(demand: Demand, restriction: Restriction): BitSet | undefined {
    if (this.#refusingIn.size === 0) return undefined;
    return this.#refusingIn.get(domainsKey(demand, restriction) ?? '');
  }

  #refuseIn(key: string | undefined, node: number): void {
    if (key === undefined) return;
    let refusing = this.#refusingIn.get(key);
    if (refusing === undefined) {
      refusing = new BitSet();
      this.#refusingIn.set(key, refusing);
    }
    refusing.add(node);
  }

  /** A few candidates are scanned again for each next one in order, so it pays to drop the full ones first. */
  #dropFull(candidates: BitSet, demand: Demand): void {
    for (let i = candidates.next(0); i >= 0; i = candidates.next(i + 1)) {
      if (this.#mayHaveRoom(i, demand)) continue;
      candidates.delete(i);
      this.#refuse(demand, i);
    }
  }

  #mayHaveRoom(node: number, { requests }: Demand): boolean {
    for (let r = 0; r < requests.length; r++) if (requests[r]! > this.#room[r]![node]!) return false;
    return true;
  }

  #measure({ index, template, variants, requests }: InFlightNode): void {
    const { market, leastOverhead } = template;
    for (let r = 0; r < requests.length; r++) {
      const room = market.most(r, variants) - leastOverhead[r]! - requests[r]!;
      this.#room[r] ??= [];
      this.#room[r]![index] = room;
      this.#headroom[r] ??= new ShrinkingHeadroom();
      this.#headroom[r]!.set(index, room);
    }
  }

  #restrict(candidates: BitSet, choice: KeyChoice): void {
    const nodesIn = this.#indexOf(choice.domains);
    this.#inDomains.clear();
    for (let domain = 0; domain < nodesIn.length; domain++) {
      if (choice.has(domain)) this.#inDomains.unite(nodesIn[domain]!);
    }
    candidates.intersect(this.#inDomains);
  }

  /** Kept from the first time a key is asked for; again from scratch when it got more domains. */
  #indexOf(domains: Domains): readonly BitSet[] {
    let nodesIn = this.#nodesIn.get(domains);
    if (nodesIn === undefined || nodesIn.length < domains.size) {
      nodesIn = Array.from({ length: domains.size }, () => new BitSet());
      this.#nodesIn.set(domains, nodesIn);
      for (const node of this.nodes) this.#index(node, domains, nodesIn);
    }
    return nodesIn;
  }

  #index(node: InFlightNode, domains: Domains, nodesIn: readonly BitSet[]): void {
    const requirement = node.set.find(domains.keyId);
    const isOpen = requirement < 0 && this.#sets.isOpen(domains.keyId, 'loosely');
    const admitted = requirement < 0 ? undefined : domains.admitted(requirement);
    for (let domain = 0; domain < nodesIn.length; domain++) {
      if (isOpen || admitted?.[domain] === 1) nodesIn[domain]!.add(node.index);
      else nodesIn[domain]!.delete(node.index);
    }
  }
}

/** What a refusal by domains is remembered by; `undefined` where there are too many domains for it to come up again. */
function domainsKey({ id }: Demand, { signature }: Restriction): string | undefined {
  return signature === undefined ? undefined : `${id} ${signature}`;
}
