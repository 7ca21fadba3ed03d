import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import type { BoundPod, KindOnNodes } from '../model/nodes/bound-pods.ts';
import type { ClusterNode } from '../model/nodes/cluster-nodes.ts';
import type { Stage } from '../model/pods/constraints.ts';
import type { Identity, PodKind } from '../model/pods/pod-class.ts';
import type { RequirementSet } from '../model/requirements/requirement-set.ts';
import type { Census } from './census.ts';
import type { DomainTables } from '../model/requirements/domains.ts';
import type { Guard, Guards } from './guards.ts';
import { type HostDemand, HostGroup, type HostNames } from './host-group.ts';
import { HostTally } from './host-tally.ts';
import { KeyChoice } from './key-choice.ts';
import { LabelGroup } from './label-group.ts';
import { passes } from './node-filter.ts';
import { Reach } from './reach.ts';
import { Restriction } from './restriction.ts';
import { type RuleTables, selects, type TopologyRule } from './rule.ts';
import type { RuleBook } from './rule-book.ts';
import { SelectorIndex } from './selector-index.ts';
import type { Universe } from './universe.ts';

/** The counts of one rule in one run. */
export type Group = LabelGroup | HostGroup;

/** A rule that decides where a pod goes, and whether the pod itself counts for it. */
export interface BindingRule {
  readonly group: Group;
  readonly isSelected: boolean;
}

/** What rules have to do with a pod. */
export interface Ties {
  readonly binding: readonly BindingRule[];
  /** Rules of others that keep it away. */
  readonly guarding: readonly Group[];
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

export interface TopologyBase {
  readonly census: Census;
  readonly guards: Guards;
  readonly domains: DomainTables;
  readonly universe: Universe;
  readonly rules: RuleTables;
  readonly ruleBook: RuleBook;
}

/**
 * Of how many groups a list is remembered for every identity. Thousands of identities may each have thousands of groups:
 * of such lists only the latest is remembered, so that memory does not grow with the square of the pods.
 */
const REMEMBERED = 128;

/** The groups that select pods of an identity, of so many groups in all. */
interface GroupList {
  readonly identity: Identity;
  readonly groups: readonly Group[];
  readonly of: number;
}

/** All rules of one run and their counts, which grow as pods are placed. */
export class Topology {
  readonly #base: TopologyBase;
  readonly #moving: readonly KindOnNodes[];
  #movingByGuard: ReadonlyMap<string, readonly BoundPod[]> | undefined;
  readonly #removedNodes: readonly ClusterNode[];
  readonly #plannedNames: HostNames;
  readonly #regular = new Map<string, Group>();
  readonly #inverse = new Map<string, Group>();
  readonly #index = new SelectorIndex<Group>();
  readonly #inverseIndex = new SelectorIndex<Group>();
  readonly #countedBy = new Map<Identity, GroupList>();
  #latestCountedBy: GroupList | undefined;
  readonly #guardedBy = new Map<Identity, GroupList>();
  #latestGuardedBy: GroupList | undefined;
  readonly #inverseOf = new Map<PodKind, readonly Group[]>();
  /** By kind, then by stage. */
  readonly #binding = new Map<PodKind, (readonly BindingRule[])[]>();
  readonly #reach = new Reach();
  readonly #noRestriction: Restriction;

  /** `moving` count nowhere until they are placed; domains known only by nodes that are `gone` are not known. */
  constructor(
    base: TopologyBase,
    moving: ReadonlySet<BoundPod>,
    gone: readonly ClusterNode[],
    plannedNames: HostNames,
  ) {
    this.#base = base;
    this.#moving = byKind(moving);
    this.#removedNodes = gone;
    this.#plannedNames = plannedNames;
    this.#noRestriction = new Restriction([], [], base.rules.sets);
  }

  /** Makes known what pods of a kind guard and where they may go. To be called for every kind before anything is placed. */
  announce(kind: PodKind): void {
    if (this.#inverseOf.has(kind)) return;
    this.#reach.add(kind);
    const rules = this.#base.ruleBook.inverse(kind);
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

  /** What those rules, and the guards of others, leave a pod now. */
  restriction({ identity }: PodKind, stage: Stage, binding: readonly BindingRule[]): Restriction {
    const guarding = this.#guards(identity);
    if (binding.length === 0 && guarding.length === 0) return this.#noRestriction;
    return this.#restrictBy(binding, stage, guarding);
  }

  /**
   * Of a pod that rules leave no place: the group without a change in which this stays so, if one alone closes all
   * domains, else all groups on the keys of which nothing is left.
   */
  obstacles(kind: PodKind, stage: Stage, binding: readonly BindingRule[]): readonly Group[] {
    const rules = this.allRules(kind, binding);
    const closed = (some: readonly BindingRule[]) =>
      this.#restrictBy(some, stage).isHopeless ? some.map(({ group }) => group) : [];
    for (const rule of rules) if (closed([rule]).length > 0) return [rule.group];
    return [...Map.groupBy(rules, ({ group }) => group.rule.key).values()].flatMap(closed);
  }

  /** The groups whose counts are not what they were before a pod of a kind was placed. */
  groupsChangedBy(kind: PodKind): readonly Group[] {
    return [...this.#counting(kind.identity), ...this.#inverseOf.get(kind)!];
  }

  /** The rules that bind a pod, those of others included, in the order they are looked at. For explanations. */
  allRules({ identity }: PodKind, binding: readonly BindingRule[]): readonly BindingRule[] {
    return [...binding, ...this.#guards(identity).map((group) => ({ group, isSelected: false }))];
  }

  /** Everything that ties a pod to where others are: the rules it is placed by, and those it counts for. */
  ties(kind: PodKind, stage: Stage): Ties {
    const { identity } = kind;
    return {
      binding: this.bindingRules(kind, stage),
      guarding: this.#guards(identity),
      counting: this.#counting(identity),
    };
  }

  /** Counts a pod where it was placed (spec 02 §16.5). */
  record(kind: PodKind, placement: Placement): void {
    for (const group of this.#counting(kind.identity)) {
      if (!passes(group.rule.filter, placement, this.#base.rules)) continue;
      this.#recordIn(group, placement, group.rule.kind === 'anti-affinity');
    }
    for (const group of this.#inverseOf.get(kind)!) this.#recordIn(group, placement, true);
  }

  /** Every host a rule on hostnames knows, with its count. */
  hostCounts(group: HostGroup, planned: number): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const { hosts } = this.#base.census.nodes;
    const gone = new Set(this.#removedNodes.map(({ host }) => host));
    for (let host = 0; host < hosts.size; host++) {
      const count = group.existing.count(host);
      const isOpen = host < this.#base.census.nodes.open && !gone.has(host);
      if (isOpen || count > 0) counts.set(hosts.nameOf(host), count);
    }
    for (let host = 0; host < planned; host++) counts.set(this.#plannedNames.nameOf(host), group.planned.count(host));
    return counts;
  }

  #restrictBy(rules: readonly BindingRule[], stage: Stage, guarding: readonly Group[] = []): Restriction {
    const choices: KeyChoice[] = [];
    const hosts: HostDemand[] = [];
    const restrict = (group: Group, isSelected: boolean) => {
      if (group instanceof LabelGroup) return this.#restrict(choices, group, stage, isSelected);
      const demand = this.#demand(group, stage, isSelected);
      if (demand !== undefined) hosts.push(demand);
    };
    for (const { group, isSelected } of rules) restrict(group, isSelected);
    for (const group of guarding) restrict(group, false);
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

  #demand(group: HostGroup, { strictNeeds }: Stage, isSelected: boolean) {
    return group.demand(strictNeeds.hostname, isSelected, this.#base.census.nodes.hosts, this.#plannedNames);
  }

  #recordIn(group: Group, { set, host, isPlanned }: Placement, everywhere: boolean): void {
    if (group instanceof HostGroup) {
      (isPlanned ? group.planned : group.existing).add(host, 1);
      return;
    }
    const requirement = set.find(group.domains.keyId);
    if (requirement < 0) return;
    const listed = group.domains.listed(requirement);
    if (everywhere || listed.length === 1) for (const domain of listed) group.record(domain);
  }

  #bind(kind: PodKind, stage: Stage): readonly BindingRule[] {
    const rules = this.#base.ruleBook.binding(kind, stage);
    const groups = new Set(rules.map((rule) => this.#regularGroup(rule))); // two equal constraints are one
    return [...groups].map((group) => ({ group, isSelected: selects(group.rule, kind.identity) }));
  }

  #counting(identity: Identity): readonly Group[] {
    const known = latest(this.#latestCountedBy, identity) ?? this.#countedBy.get(identity);
    if (known !== undefined && known.of === this.#index.size) return known.groups;
    const list = { identity, groups: this.#index.find(identity), of: this.#index.size };
    if (list.groups.length <= REMEMBERED) this.#countedBy.set(identity, list);
    else this.#latestCountedBy = list;
    return list.groups;
  }

  /** Inverse groups that select the pods, all of which exist once every kind is announced. */
  #guards(identity: Identity): readonly Group[] {
    const known = latest(this.#latestGuardedBy, identity) ?? this.#guardedBy.get(identity);
    if (known !== undefined) return known.groups;
    for (const guard of this.#base.guards.against(identity)) this.#guardGroup(guard);
    const list = { identity, groups: this.#inverseIndex.find(identity), of: this.#inverseIndex.size };
    if (list.groups.length <= REMEMBERED) this.#guardedBy.set(identity, list);
    else this.#latestGuardedBy = list;
    return list.groups;
  }

  #regularGroup(rule: TopologyRule): Group {
    let group = this.#regular.get(rule.identity);
    if (group === undefined) {
      group = this.#count(rule);
      this.#regular.set(rule.identity, group);
      this.#index.add(group);
    }
    return group;
  }

  #inverseGroup(rule: TopologyRule): Group {
    const guard = this.#base.guards.find(rule.identity);
    if (guard !== undefined) return this.#guardGroup(guard);
    return this.#inverse.get(rule.identity) ?? this.#addInverse(this.#empty(rule));
  }

  /** The guards of the cluster without the pods that move: those guard where they are placed. */
  #guardGroup(guard: Guard): Group {
    const present = this.#inverse.get(guard.rule.identity);
    if (present !== undefined) return present;
    const { guards, domains, universe } = this.#base;
    const { rule } = guard;
    const places = this.#movingOwners(rule)
      .map((bound) => guards.placeOf(rule, bound))
      .filter((place) => place >= 0);
    if (rule.key === HOSTNAME_LABEL) return this.#addInverse(hostGroup(rule, guards.hostTally(guard), places));
    const counts = countsWithout(guards.labelCounts(guard), places);
    const table = domains.of(rule.key);
    return this.#addInverse(new LabelGroup(rule, table, universe.domainsFor(table, rule.tolerations), counts));
  }

  #movingOwners({ identity }: TopologyRule): readonly BoundPod[] {
    this.#movingByGuard ??= this.#findMovingGuards();
    return this.#movingByGuard.get(identity) ?? [];
  }

  #findMovingGuards(): ReadonlyMap<string, readonly BoundPod[]> {
    const owners = new Map<string, BoundPod[]>();
    for (const { kind, pods } of this.#moving) {
      for (const { identity } of this.#base.ruleBook.inverse(kind)) {
        owners.set(identity, [...(owners.get(identity) ?? []), ...pods]);
      }
    }
    return owners;
  }

  #addInverse(group: Group): Group {
    this.#inverse.set(group.rule.identity, group);
    this.#inverseIndex.add(group);
    return group;
  }

  #empty(rule: TopologyRule): Group {
    if (rule.key === HOSTNAME_LABEL) {
      return new HostGroup(rule, new HostTally(rule.maxSkew), new HostTally(rule.maxSkew));
    }
    const domains = this.#base.domains.of(rule.key);
    return new LabelGroup(rule, domains, this.#base.universe.domainsFor(domains, rule.tolerations), new Int32Array());
  }

  #count(rule: TopologyRule): Group {
    const { census, domains, universe } = this.#base;
    const places = this.#movingPlaces(rule);
    if (rule.key === HOSTNAME_LABEL) return hostGroup(rule, census.hostTally(rule), places);
    const counts = countsWithout(census.labelCounts(rule), places);
    const nodes = census.nodeCounts(rule).slice();
    for (const node of this.#removedNodes) {
      const domain = census.domainOf(rule, node);
      if (domain >= 0) nodes[domain]!--;
    }
    const table = domains.of(rule.key);
    const present = [...nodes.keys()].filter((domain) => nodes[domain]! > 0);
    const offered = universe.domainsFor(table, rule.tolerations);
    const expected = () => this.#reach.expected(rule, table, offered);
    return new LabelGroup(rule, table, offered, counts, present, rule.kind === 'spread' ? expected : undefined);
  }

  #movingPlaces(rule: TopologyRule): readonly number[] {
    const places: number[] = [];
    for (const { kind, pods } of this.#moving) {
      if (!selects(rule, kind.identity)) continue;
      for (const bound of pods) {
        const place = this.#base.census.placeOf(rule, bound);
        if (place >= 0) places.push(place);
      }
    }
    return places;
  }
}

function latest(list: GroupList | undefined, identity: Identity): GroupList | undefined {
  return list?.identity === identity ? list : undefined;
}

/** Counts of the cluster without these, to be counted on. */
function hostGroup(rule: TopologyRule, cluster: HostTally, without: readonly number[]): HostGroup {
  const tally = cluster.clone();
  for (const host of without) tally.add(host, -1);
  return new HostGroup(rule, tally, new HostTally(rule.maxSkew));
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
