import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import type { BoundPod, KindOnNodes } from '../model/nodes/bound-pods.ts';
import type { ClusterNode } from '../model/nodes/cluster-nodes.ts';
import type { Stage } from '../model/pods/constraints.ts';
import type { Identity, PodKind } from '../model/pods/pod-class.ts';
import type { RequirementSet } from '../model/requirements/requirement-set.ts';
import type { DomainCounts } from './domain-counts.ts';
import type { DomainTables } from '../model/requirements/domains.ts';
import { CountingGroups, type Group, GroupLists, InverseGroups } from './group-lists.ts';
import { emptyHostGroup, HostFamily } from './host-family.ts';
import type { InverseRule, InverseAntiAffinity } from './inverse-anti-affinity.ts';
import { type HostBounds, HostGroup, type HostNames } from './host-group.ts';
import { HostCounts } from './host-counts.ts';
import { KeyChoice } from './key-choice.ts';
import { LabelGroup } from './label-group.ts';
import { passes } from './node-filter.ts';
import { ReachableDomains } from './reachable-domains.ts';
import { Restriction } from './restriction.ts';
import { type RuleTables, selects, type TopologyRule } from './rule.ts';
import type { TopologyRules } from './topology-rules.ts';
import type { OfferedDomains } from './offered-domains.ts';

/** A rule that decides where a pod goes, and whether the pod itself counts for it. */
export interface BindingRule {
  readonly group: Group;
  readonly isSelected: boolean;
}

/** The rules that concern a pod. */
export interface PodRules {
  readonly binding: readonly BindingRule[];
  /** Required anti-affinity rules of other pods that keep it away. */
  readonly inverse: readonly Group[];
  /** Rules of any pod, its own included, that count it. */
  readonly counting: readonly Group[];
}

/** Where a pod was placed, as rules count it. */
export interface Placement {
  readonly set: RequirementSet;
  readonly taints: number;
  readonly hostname: string;
  /** Number of the host among existing ones, or of the planned node. */
  readonly host: number;
  readonly isPlanned: boolean;
}

/** What topology knows of a cluster before any run. */
export interface ClusterTopology {
  readonly domainCounts: DomainCounts;
  readonly inverseAntiAffinity: InverseAntiAffinity;
  readonly domains: DomainTables;
  readonly rules: RuleTables;
  readonly topologyRules: TopologyRules;
}

export interface TopologyBase extends ClusterTopology {
  readonly offeredDomains: OfferedDomains;
}

/** All rules of one run and their counts, which grow as pods are placed. */
export class Topology {
  readonly #base: TopologyBase;
  readonly #moving: readonly KindOnNodes[];
  #movingByInverseRule: ReadonlyMap<string, readonly BoundPod[]> | undefined;
  readonly #removedNodes: readonly ClusterNode[];
  readonly #plannedNames: HostNames;
  readonly #regular = new Map<string, Group>();
  readonly #inverse = new Map<string, Group>();
  readonly #counting = new GroupLists<Group>();
  readonly #inverseLists = new GroupLists<Group>();
  readonly #counters = new CountingGroups((rule) => this.#count(rule) as HostGroup);
  readonly #inverseGroups = new InverseGroups();
  /** Those of whom it is known which pods of the cluster keep them away. */
  readonly #isInverseRead = new Set<Identity>();
  readonly #inverseOf = new Map<PodKind, readonly Group[]>();
  /** By kind, then by stage. */
  readonly #binding = new Map<PodKind, (readonly BindingRule[])[]>();
  readonly #reachable = new ReachableDomains();
  readonly #noRestriction: Restriction;

  /**
   * Pods that are `moving` count nowhere until they are placed. A domain that only removed nodes are in does not exist for
   * this run.
   */
  constructor(
    base: TopologyBase,
    moving: ReadonlySet<BoundPod>,
    removedNodes: readonly ClusterNode[],
    plannedNames: HostNames,
  ) {
    this.#base = base;
    this.#moving = byKind(moving);
    this.#removedNodes = removedNodes;
    this.#plannedNames = plannedNames;
    this.#noRestriction = new Restriction([], [], base.rules.sets);
  }

  /**
   * Makes known whom pods of a kind keep away, and where they may go. It must be called for every kind before the first pod
   * is placed.
   */
  announce(kind: PodKind): void {
    if (this.#inverseOf.has(kind)) return;
    this.#reachable.add(kind);
    const rules = this.#base.topologyRules.inverse(kind);
    this.#inverseOf.set(
      kind,
      rules.map((rule) => this.#inverseGroup(rule)),
    );
  }

  /** The rules that bind pods of a kind at a stage; groups no rule had before are counted now (spec 02 §16.1). */
  bindingRules(kind: PodKind, stage: Stage): readonly BindingRule[] {
    let stages = this.#binding.get(kind);
    if (stages === undefined) {
      stages = [];
      this.#binding.set(kind, stages);
    }
    stages[stage.index] ??= this.#bind(kind, stage);
    return stages[stage.index]!;
  }

  /** What those rules, and the anti-affinity of other pods, leave a pod now. */
  restriction({ identity }: PodKind, stage: Stage, binding: readonly BindingRule[]): Restriction {
    this.#readInverse(identity);
    const inverse = this.#inverseGroups.against(identity);
    if (binding.length === 0 && inverse.length === 0) return this.#noRestriction;
    return this.#restrictBy(binding, stage, inverse);
  }

  /**
   * Of a pod that rules leave no place: the group without a change in which this stays so, if one alone closes all
   * domains, else all groups on the keys of which nothing is left.
   */
  obstacles(kind: PodKind, stage: Stage, binding: readonly BindingRule[]): readonly Group[] {
    const rules = this.allRules(kind, binding);
    const closed = (some: readonly BindingRule[]) =>
      this.#restrictBy(some, stage).isUnsatisfiable ? some.map(({ group }) => group) : [];
    for (const rule of rules) if (closed([rule]).length > 0) return [rule.group];
    return [...Map.groupBy(rules, ({ group }) => group.rule.key).values()].flatMap(closed);
  }

  /** The groups whose counts are not what they were before a pod of a kind was placed. */
  groupsChangedBy(kind: PodKind): readonly Group[] {
    return [...this.#counting.find(kind.identity), ...this.#inverseOf.get(kind)!];
  }

  /** The rules that bind a pod, those of others included, in the order they are looked at. For explanations. */
  allRules({ identity }: PodKind, binding: readonly BindingRule[]): readonly BindingRule[] {
    return [...binding, ...this.#allInverse(identity).map((group) => ({ group, isSelected: false }))];
  }

  /** Everything that ties a pod to where others are: the rules it is placed by, and those it counts for. */
  podRules(kind: PodKind, stage: Stage): PodRules {
    const { identity } = kind;
    return {
      binding: this.bindingRules(kind, stage),
      inverse: this.#allInverse(identity),
      counting: this.#counting.find(identity),
    };
  }

  /** How many counts it takes to place and record a pod. */
  countRules({ identity }: PodKind, binding: readonly BindingRule[]): number {
    this.#readInverse(identity);
    return binding.length + this.#inverseGroups.against(identity).length + this.#counters.of(identity).length;
  }

  /** Counts a pod where it was placed (spec 02 §16.5). */
  record(kind: PodKind, placement: Placement): void {
    const { host, isPlanned } = placement;
    this.#counters.close();
    for (const group of this.#counters.of(kind.identity)) {
      if (!passes(group.rule.filter, placement, this.#base.rules)) continue;
      if (group instanceof HostFamily) group.add(kind.identity, host, isPlanned);
      else this.#recordIn(group, placement, group.rule.kind === 'anti-affinity');
    }
    for (const group of this.#inverseOf.get(kind)!) {
      this.#recordIn(group, placement, true);
      if (group instanceof HostGroup) this.#inverseGroups.record(group, host, isPlanned);
    }
  }

  /** Every host a rule on hostnames knows, with its count. */
  hostCounts(group: HostGroup, planned: number): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const { hosts } = this.#base.domainCounts.nodes;
    const removedNodes = new Set(this.#removedNodes.map(({ host }) => host));
    for (let host = 0; host < hosts.size; host++) {
      const count = group.existing.count(host);
      const isOpen = host < this.#base.domainCounts.nodes.schedulableCount && !removedNodes.has(host);
      if (isOpen || count > 0) counts.set(hosts.nameOf(host), count);
    }
    for (let host = 0; host < planned; host++) counts.set(this.#plannedNames.nameOf(host), group.planned.count(host));
    return counts;
  }

  #restrictBy(rules: readonly BindingRule[], stage: Stage, inverse: readonly Group[] = []): Restriction {
    const choices: KeyChoice[] = [];
    const hosts: HostBounds[] = [];
    const restrict = (group: Group, isSelected: boolean) => {
      if (group instanceof LabelGroup) return this.#restrict(choices, group, stage, isSelected);
      const bounds = this.#bounds(group, stage, isSelected);
      if (bounds !== undefined) hosts.push(bounds);
    };
    for (const { group, isSelected } of rules) restrict(group, isSelected);
    for (const group of inverse) restrict(group, false);
    return new Restriction(choices, hosts, this.#base.rules.sets);
  }

  #restrict(choices: KeyChoice[], group: LabelGroup, { strictNeeds }: Stage, isSelected: boolean): void {
    const { domains } = group;
    let choice = choices.find((one) => one.domains === domains);
    if (choice === undefined) {
      choice = new KeyChoice(domains);
      choices.push(choice);
    }
    const requirement = strictNeeds.set.find(domains.keyId);
    group.restrict(choice, requirement < 0 ? undefined : domains.admitted(requirement), isSelected);
  }

  #bounds(group: HostGroup, { strictNeeds }: Stage, isSelected: boolean) {
    return group.bounds(strictNeeds.hostname, isSelected, this.#base.domainCounts.nodes.hosts, this.#plannedNames);
  }

  #recordIn(group: Group, { set, host, isPlanned }: Placement, everywhere: boolean): void {
    if (group instanceof HostGroup) {
      group.add(host, isPlanned);
      return;
    }
    const requirement = set.find(group.domains.keyId);
    if (requirement < 0) return;
    const listed = group.domains.listed(requirement);
    if (everywhere || listed.length === 1) for (const domain of listed) group.record(domain);
  }

  #bind(kind: PodKind, stage: Stage): readonly BindingRule[] {
    const rules = this.#base.topologyRules.binding(kind, stage);
    const groups = new Set(rules.map((rule) => this.#regularGroup(rule))); // two equal constraints are one
    return [...groups].map((group) => ({ group, isSelected: selects(group.rule, kind.identity) }));
  }

  /** Inverse groups that select the pods, all of which exist once every kind is announced. */
  #allInverse(identity: Identity): readonly Group[] {
    this.#readInverse(identity);
    return this.#inverseLists.known(identity) ?? this.#inverseLists.find(identity);
  }

  #readInverse(identity: Identity): void {
    if (this.#isInverseRead.has(identity)) return;
    this.#isInverseRead.add(identity);
    for (const inverseRule of this.#base.inverseAntiAffinity.against(identity)) this.#groupOfInverseRule(inverseRule);
  }

  #regularGroup(rule: TopologyRule): Group {
    let group = this.#regular.get(rule.identity);
    if (group === undefined) {
      group = this.#count(rule);
      this.#regular.set(rule.identity, group);
      this.#counting.add(group);
      this.#counters.add(group);
    }
    return group;
  }

  #inverseGroup(rule: TopologyRule): Group {
    const inverseRule = this.#base.inverseAntiAffinity.find(rule.identity);
    if (inverseRule !== undefined) return this.#groupOfInverseRule(inverseRule);
    return this.#inverse.get(rule.identity) ?? this.#addInverse(this.#empty(rule));
  }

  /** The group of a rule of bound pods, without the pods that move. Those count where they are placed. */
  #groupOfInverseRule(inverseRule: InverseRule): Group {
    const present = this.#inverse.get(inverseRule.rule.identity);
    if (present !== undefined) return present;
    const { inverseAntiAffinity, domains, offeredDomains } = this.#base;
    const { rule } = inverseRule;
    const places = this.#movingOwners(rule)
      .map((bound) => inverseAntiAffinity.placeOf(rule, bound))
      .filter((place) => place >= 0);
    if (rule.key === HOSTNAME_LABEL)
      return this.#addInverse(hostGroup(rule, inverseAntiAffinity.hostCounts(inverseRule), places));
    const counts = countsWithout(inverseAntiAffinity.labelCounts(inverseRule), places);
    const table = domains.of(rule.key);
    return this.#addInverse(new LabelGroup(rule, table, offeredDomains.domainsFor(table, rule.tolerations), counts));
  }

  #movingOwners({ identity }: TopologyRule): readonly BoundPod[] {
    this.#movingByInverseRule ??= this.#findMovingOwners();
    return this.#movingByInverseRule.get(identity) ?? [];
  }

  #findMovingOwners(): ReadonlyMap<string, readonly BoundPod[]> {
    const owners = new Map<string, BoundPod[]>();
    for (const { kind, pods } of this.#moving) {
      for (const { identity } of this.#base.topologyRules.inverse(kind)) {
        owners.set(identity, [...(owners.get(identity) ?? []), ...pods]);
      }
    }
    return owners;
  }

  #addInverse(group: Group): Group {
    this.#inverse.set(group.rule.identity, group);
    this.#inverseLists.add(group);
    this.#inverseGroups.add(group);
    return group;
  }

  #empty(rule: TopologyRule): Group {
    if (rule.key === HOSTNAME_LABEL) return emptyHostGroup(rule);
    const domains = this.#base.domains.of(rule.key);
    return new LabelGroup(
      rule,
      domains,
      this.#base.offeredDomains.domainsFor(domains, rule.tolerations),
      new Int32Array(),
    );
  }

  #count(rule: TopologyRule): Group {
    const { domainCounts, domains, offeredDomains } = this.#base;
    const places = this.#movingPlaces(rule);
    if (rule.key === HOSTNAME_LABEL) return hostGroup(rule, domainCounts.hostCounts(rule), places);
    const counts = countsWithout(domainCounts.labelCounts(rule), places);
    const nodes = domainCounts.nodeCounts(rule).slice();
    for (const node of this.#removedNodes) {
      const domain = domainCounts.domainOf(rule, node);
      if (domain >= 0) nodes[domain]!--;
    }
    const table = domains.of(rule.key);
    const present = [...nodes.keys()].filter((domain) => nodes[domain]! > 0);
    const offered = offeredDomains.domainsFor(table, rule.tolerations);
    const expected = () => this.#reachable.expected(rule, table, offered);
    return new LabelGroup(rule, table, offered, counts, present, rule.kind === 'spread' ? expected : undefined);
  }

  #movingPlaces(rule: TopologyRule): readonly number[] {
    const places: number[] = [];
    for (const { kind, pods } of this.#moving) {
      if (!selects(rule, kind.identity)) continue;
      for (const bound of pods) {
        const place = this.#base.domainCounts.placeOf(rule, bound);
        if (place >= 0) places.push(place);
      }
    }
    return places;
  }
}

/** Counts of the cluster without these, to be counted on. */
function hostGroup(rule: TopologyRule, cluster: HostCounts, without: readonly number[]): HostGroup {
  const counts = cluster.clone();
  for (const host of without) counts.add(host, -1);
  return new HostGroup(rule, counts, new HostCounts(rule.maxSkew));
}

function countsWithout(cluster: Int32Array, without: readonly number[]): Int32Array {
  const counts = cluster.slice();
  for (const domain of without) counts[domain]!--;
  return counts;
}

function byKind(moving: Iterable<BoundPod>): readonly KindOnNodes[] {
  const kinds = Map.groupBy(moving, ({ podClass }) => podClass.kind);
  return [...kinds].map(([kind, pods]) => ({ kind, pods }));
}
