import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import type { BoundPod, BoundPods } from '../cluster/bound-pods.ts';
import type { Identity, PodClasses } from '../packing/pod-class.ts';
import type { DomainTables } from './domains.ts';
import type { ClusterNodes } from '../cluster/cluster-nodes.ts';
import type { TopologyRule } from './rule.ts';
import type { RuleBook } from './rule-book.ts';
import { SelectorIndex } from './selector-index.ts';

/** A required anti-affinity rule of pods in the cluster, seen by those it keeps away. */
export interface Guard {
  /** Of one of its owners; others differ in what they tolerate, at most. */
  readonly rule: TopologyRule;
  readonly owners: { readonly rule: TopologyRule; readonly bound: BoundPod }[];
}

/** The guards of all bound pods (spec 02 §16.1). Preferred terms keep nobody away. */
export class Guards {
  readonly #nodes: ClusterNodes;
  readonly #domains: DomainTables;
  readonly #byIdentity = new Map<string, Guard>();
  readonly #index = new SelectorIndex<Guard>();

  constructor(classes: PodClasses, pods: BoundPods, nodes: ClusterNodes, domains: DomainTables, book: RuleBook) {
    this.#nodes = nodes;
    this.#domains = domains;
    for (const podClass of classes.all) {
      for (const rule of book.inverse(podClass.kind)) {
        for (const bound of pods.ofClass(podClass)) this.#add(rule, bound);
      }
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
    const value = node.source.node?.labels[key];
    if (value === undefined) return -1;
    return key === HOSTNAME_LABEL ? this.#nodes.hosts.intern(value) : this.#domains.of(key).idOf(value);
  }

  #add(rule: TopologyRule, bound: BoundPod): void {
    let guard = this.#byIdentity.get(rule.identity);
    if (guard === undefined) {
      guard = { rule, owners: [] };
      this.#byIdentity.set(rule.identity, guard);
      this.#index.add(guard);
    }
    guard.owners.push({ rule, bound });
  }
}
