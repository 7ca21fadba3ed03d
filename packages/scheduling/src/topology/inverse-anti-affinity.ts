import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import { memberOf } from '@karpenter-ts/kubernetes';
import type { BoundPod, KindOnNodes } from '../model/nodes/bound-pods.ts';
import type { ClusterNodes } from '../model/nodes/cluster-nodes.ts';
import { podId } from '../model/pods/pod-id.ts';
import type { Identity } from '../model/pods/pod-class.ts';
import type { DomainTables } from '../model/requirements/domains.ts';
import { HostCounts } from './host-counts.ts';
import type { TopologyRule } from './rule.ts';
import type { TopologyRules } from './topology-rules.ts';
import { SelectorIndex } from './selector-index.ts';

/** A required anti-affinity rule of bound pods, as the pods that it keeps away see it. */
export class InverseRule {
  readonly #owners: BoundPod[] = [];
  #rule: TopologyRule;
  #first: string | undefined;

  constructor(rule: TopologyRule) {
    this.#rule = rule;
  }

  /** The rule of the owner with the smallest id. The rules of the other owners differ in tolerations only. */
  get rule(): TopologyRule {
    return this.#rule;
  }

  /** Every pod that has the rule, whether it moves or not. */
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

/** The required anti-affinity of all bound pods, seen from the other side (spec 02 §16.1). Preferred terms keep nobody away. */
export class InverseAntiAffinity {
  readonly #nodes: ClusterNodes;
  readonly #domains: DomainTables;
  readonly #topologyRules: TopologyRules;
  readonly #byIdentity = new Map<string, InverseRule>();
  readonly #index = new SelectorIndex<InverseRule>();
  readonly #hostCounts = new Map<InverseRule, HostCounts>();
  readonly #labelCounts = new Map<InverseRule, Int32Array>();

  constructor(nodes: ClusterNodes, domains: DomainTables, topologyRules: TopologyRules) {
    this.#nodes = nodes;
    this.#domains = domains;
    this.#topologyRules = topologyRules;
  }

  /** Adds the pods of a kind. It must be called for every kind before anything is asked. */
  read({ kind, pods }: KindOnNodes): void {
    for (const rule of this.#topologyRules.inverse(kind)) {
      let inverseRule = this.#byIdentity.get(rule.identity);
      if (inverseRule === undefined) {
        inverseRule = new InverseRule(rule);
        this.#byIdentity.set(rule.identity, inverseRule);
        this.#index.add(inverseRule);
      }
      inverseRule.add(rule, pods);
    }
  }

  find(identity: string): InverseRule | undefined {
    return this.#byIdentity.get(identity);
  }

  /** The rules that keep pods of this identity away. */
  against(identity: Identity): readonly InverseRule[] {
    return this.#index.find(identity);
  }

  /** The domain, or host, from which an owner keeps others away; −1 if its node has no such label. */
  placeOf({ key }: TopologyRule, { node }: BoundPod): number {
    const value = memberOf(node.source.node?.labels, key);
    if (value === undefined) return -1;
    return key === HOSTNAME_LABEL ? this.#nodes.hosts.intern(value) : this.#domains.of(key).idOf(value);
  }

  /** Owners by host. Not to be changed. */
  hostCounts(inverseRule: InverseRule): HostCounts {
    let counts = this.#hostCounts.get(inverseRule);
    if (counts === undefined) {
      counts = new HostCounts(inverseRule.rule.maxSkew);
      for (const host of this.#placesOf(inverseRule)) counts.add(host, 1);
      this.#hostCounts.set(inverseRule, counts);
    }
    return counts;
  }

  /** Owners by domain. Not to be changed. */
  labelCounts(inverseRule: InverseRule): Int32Array {
    let counts = this.#labelCounts.get(inverseRule);
    if (counts === undefined) {
      const places = this.#placesOf(inverseRule); // which makes all domains known
      counts = new Int32Array(this.#domains.of(inverseRule.rule.key).size);
      for (const domain of places) counts[domain]!++;
      this.#labelCounts.set(inverseRule, counts);
    }
    return counts;
  }

  #placesOf({ rule, owners }: InverseRule): readonly number[] {
    return owners.map((bound) => this.placeOf(rule, bound)).filter((place) => place >= 0);
  }
}
