import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import { memberOf } from '@karpenter-ts/kubernetes';
import type { BoundPod, BoundPods, KindOnNodes } from '../model/nodes/bound-pods.ts';
import type { ClusterNode, ClusterNodes } from '../model/nodes/cluster-nodes.ts';
import { BitSet } from '../model/interning/bit-set.ts';
import type { Domains, DomainTables } from '../model/requirements/domains.ts';
import { HostCounts } from './host-counts.ts';
import { type FilterTables, passes } from './node-filter.ts';
import { selects, type TopologyRule } from './rule.ts';
import { labelAskedFor } from './selector-index.ts';

/**
 * How many bound pods each rule selects in each domain. Each rule is counted once, over the kinds of pods that it selects.
 * The counts contain every bound pod: a run works on a copy, from which it subtracts the pods that it moves.
 */
export class DomainCounts {
  readonly nodes: ClusterNodes;
  readonly #pods: BoundPods;
  readonly #domains: DomainTables;
  readonly #tables: FilterTables;
  readonly #labelCounts = new Map<string, Int32Array>();
  readonly #hostCounts = new Map<string, HostCounts>();
  readonly #nodeCounts = new Map<string, Int32Array>();
  readonly #placesByNode = new Map<string, Int32Array>();
  readonly #nodesIn = new Map<string, readonly BitSet[]>();
  readonly #kindsByLabel = new Map<string, ReadonlyMap<string | undefined, readonly KindOnNodes[]>>();

  constructor(nodes: ClusterNodes, pods: BoundPods, domains: DomainTables, tables: FilterTables) {
    this.nodes = nodes;
    this.#pods = pods;
    this.#domains = domains;
    this.#tables = tables;
  }

  /** Matching pods by domain. Not to be changed. */
  labelCounts(rule: TopologyRule): Int32Array {
    return remembered(this.#labelCounts, rule.identity, () => {
      const places = this.#places(rule); // which makes all domains known
      const counts = new Int32Array(this.#domains.of(rule.key).size);
      this.#forEachPlace(rule, places, (domain) => counts[domain]!++);
      return counts;
    });
  }

  /** Matching pods by host. Not to be changed. */
  hostCounts(rule: TopologyRule): HostCounts {
    return remembered(this.#hostCounts, rule.identity, () => {
      const counts = new HostCounts(rule.maxSkew);
      this.#forEachPlace(rule, this.#places(rule), (host) => counts.add(host, 1));
      return counts;
    });
  }

  /** Where a pod counts for a rule that selects it: a domain, or a host for rules on hostnames; −1 if nowhere. */
  placeOf(rule: TopologyRule, { node, isTerminating }: BoundPod): number {
    return isTerminating ? -1 : this.#places(rule)[node.index]!;
  }

  /** By domain: how many open nodes a rule looks at are in it. They make it known, pods or not. Not to be changed. */
  nodeCounts(rule: TopologyRule): Int32Array {
    return remembered(this.#nodeCounts, filterKey(rule), () => {
      const found: number[] = [];
      for (let i = 0; i < this.nodes.schedulableCount; i++) found.push(this.domainOf(rule, this.nodes.all[i]!));
      const counts = new Int32Array(this.#domains.of(rule.key).size);
      for (const domain of found) if (domain >= 0) counts[domain]!++;
      return counts;
    });
  }

  /** The domain a node makes known to a rule; −1 if none. */
  domainOf(rule: TopologyRule, node: ClusterNode): number {
    if (node.facts === undefined || !passes(rule.filter, node.facts, this.#tables)) return -1;
    const value = memberOf(node.source.labels, rule.key);
    return value === undefined ? -1 : this.#domains.of(rule.key).idOf(value);
  }

  /** Open nodes by domain of a key; none for domains beyond the end. Not to be changed. */
  nodesIn(domains: Domains): readonly BitSet[] {
    return remembered(this.#nodesIn, domains.key, () => {
      const sets: BitSet[] = [];
      for (let i = 0; i < this.nodes.schedulableCount; i++) {
        const value = memberOf(this.nodes.all[i]!.source.labels, domains.key);
        if (value === undefined) continue;
        const domain = domains.idOf(value);
        sets[domain] ??= new BitSet(this.nodes.schedulableCount);
        sets[domain].add(i);
      }
      return sets;
    });
  }

  /** By node: where its pods count for the rule; −1 if nowhere. Rules on one key with one filter agree. */
  #places(rule: TopologyRule): Int32Array {
    return remembered(this.#placesByNode, filterKey(rule), () =>
      Int32Array.from(this.nodes.all, ({ facts, source }) => {
        if (facts === undefined || !passes(rule.filter, facts, this.#tables)) return -1;
        if (rule.key === HOSTNAME_LABEL) return facts.host;
        const value = memberOf(source.node!.labels, rule.key);
        return value === undefined ? -1 : this.#domains.of(rule.key).idOf(value);
      }),
    );
  }

  #forEachPlace(rule: TopologyRule, places: Int32Array, visit: (place: number) => void): void {
    for (const { kind, pods } of this.#kindsFor(rule)) {
      if (!selects(rule, kind.identity)) continue;
      for (const { node, isTerminating } of pods) {
        const place = places[node.index]!;
        if (place >= 0 && !isTerminating) visit(place);
      }
    }
  }

  /** The kinds a rule may select: of thousands, those with the one label most rules ask for. */
  #kindsFor(rule: TopologyRule): Iterable<KindOnNodes> {
    const label = labelAskedFor(rule);
    if (label === undefined) return this.#pods.kinds();
    const byValue = remembered(this.#kindsByLabel, label.key, () =>
      Map.groupBy(this.#pods.kinds(), ({ kind }) => memberOf(kind.identity.labels, label.key)),
    );
    return [...label.values].flatMap((value) => byValue.get(value) ?? []);
  }
}

function filterKey({ key, filter }: TopologyRule): string {
  return `${key} ${filter?.identity}`;
}

function remembered<T>(known: Map<string, T>, key: string, work: () => T): T {
  let value = known.get(key);
  if (value === undefined) {
    value = work();
    known.set(key, value);
  }
  return value;
}
