import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import { memberOf } from '@karpenter-ts/kubernetes';
import type { BoundPod, KindOnNodes } from '../model/nodes/bound-pods.ts';
import type { ClusterNodes } from '../model/nodes/cluster-nodes.ts';
import { podId } from '../model/pods/pod-id.ts';
import type { Identity } from '../model/pods/pod-class.ts';
import type { DomainTables } from '../model/requirements/domains.ts';
import { HostTally } from './host-tally.ts';
import type { TopologyRule } from './rule.ts';
import type { RuleBook } from './rule-book.ts';
import { SelectorIndex } from './selector-index.ts';

/** A required anti-affinity rule of pods in the cluster, seen by those it keeps away. */
export class Guard {
  readonly #owners: BoundPod[] = [];
  #rule: TopologyRule;
  #first: string | undefined;

  constructor(rule: TopologyRule) {
    this.#rule = rule;
  }

  /** That of the owner with the smallest id; the others' differ in what they tolerate, at most. */
  get rule(): TopologyRule {
    return this.#rule;
  }

  /** Every pod that has the rule, moving or not. */
  get owners(): readonly BoundPod[] {
    return this.#owners;
  }

  add(rule: TopologyRule, pods: readonly BoundPod[]): void {
    for (const bound of pods) {
      this.#owners.push(bound);
      const id = podId(bound.pod);
      if (this.#first !== undefined && this.#first <= id) continue;
      this.#first = id;
      this.#rule = rule;
    }
  }
}

/** The guards of all bound pods (spec 02 §16.1). Preferred terms keep nobody away. */
export class Guards {
  readonly #nodes: ClusterNodes;
  readonly #domains: DomainTables;
  readonly #book: RuleBook;
  readonly #byIdentity = new Map<string, Guard>();
  readonly #index = new SelectorIndex<Guard>();
  readonly #hostTallies = new Map<Guard, HostTally>();
  readonly #labelCounts = new Map<Guard, Int32Array>();

  constructor(nodes: ClusterNodes, domains: DomainTables, book: RuleBook) {
    this.#nodes = nodes;
    this.#domains = domains;
    this.#book = book;
  }

  /** Takes in the pods of a kind. To be called for every kind before anything is asked. */
  read({ kind, pods }: KindOnNodes): void {
    for (const rule of this.#book.inverse(kind)) {
      let guard = this.#byIdentity.get(rule.identity);
      if (guard === undefined) {
        guard = new Guard(rule);
        this.#byIdentity.set(rule.identity, guard);
        this.#index.add(guard);
      }
      guard.add(rule, pods);
    }
  }

  find(identity: string): Guard | undefined {
    return this.#byIdentity.get(identity);
  }

  /** Those that keep certain pods away. */
  against(identity: Identity): readonly Guard[] {
    return this.#index.find(identity);
  }

  /** The domain, or host, that an owner guards; −1 if its node has no such label. */
  placeOf({ key }: TopologyRule, { node }: BoundPod): number {
    const value = memberOf(node.source.node?.labels, key);
    if (value === undefined) return -1;
    return key === HOSTNAME_LABEL ? this.#nodes.hosts.intern(value) : this.#domains.of(key).idOf(value);
  }

  /** Owners by host. Not to be changed. */
  hostTally(guard: Guard): HostTally {
    let tally = this.#hostTallies.get(guard);
    if (tally === undefined) {
      tally = new HostTally(guard.rule.maxSkew);
      for (const host of this.#placesOf(guard)) tally.add(host, 1);
      this.#hostTallies.set(guard, tally);
    }
    return tally;
  }

  /** Owners by domain. Not to be changed. */
  labelCounts(guard: Guard): Int32Array {
    let counts = this.#labelCounts.get(guard);
    if (counts === undefined) {
      const places = this.#placesOf(guard); // which makes all domains known
      counts = new Int32Array(this.#domains.of(guard.rule.key).size);
      for (const domain of places) counts[domain]!++;
      this.#labelCounts.set(guard, counts);
    }
    return counts;
  }

  #placesOf({ rule, owners }: Guard): readonly number[] {
    return owners.map((bound) => this.placeOf(rule, bound)).filter((place) => place >= 0);
  }
}
