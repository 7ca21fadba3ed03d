import {
  anything,
  findIncompatibilities,
  HOSTNAME_LABEL,
  type Incompatibility,
  intersect,
  type ProviderProfile,
  type Requirement,
  type Requirements,
  toRequirement,
} from '@karpenter-ts/apis';
import type { Taint } from '@karpenter-ts/kubernetes';
import { findUntolerated, type TaintTable } from '../model/pods/taints.ts';
import type { RawFailure, RawRefusal } from '../packing/raw-refusal.ts';
import { findContradictions } from '../model/requirements/contradiction.ts';
import {
  areImpossible,
  type NodeNeeds,
  type RequirementSet,
  type RequirementSets,
} from '../model/requirements/requirement-set.ts';
import { HostGroup } from '../topology/host-group.ts';
import { KeyChoice } from '../topology/key-choice.ts';
import type { LabelGroup } from '../topology/label-group.ts';
import type { Group } from '../topology/group-lists.ts';
import type { BindingRule, Topology } from '../topology/topology.ts';
import type { Failure, PlainRefusal, Refusal, RuleDomains } from '../failure.ts';
import { limitRefusal, reservationRefusal, TypeRefusals } from './supply-refusal.ts';

export interface ExplanationTables {
  readonly sets: RequirementSets;
  readonly taints: TaintTable;
  readonly topology: Topology;
  readonly profile: ProviderProfile;
  /** How many nodes the plan opens. */
  readonly planned: number;
}

/** Puts the failures of a finished run into plain data; equal drafts become one object. */
export class FailureWriter {
  readonly #tables: ExplanationTables;
  readonly #typeRefusals: TypeRefusals;
  readonly #known = new Map<RawFailure, Failure>();
  readonly #counts = new Map<Group, ReadonlyMap<string, number>>();
  readonly #incompatibilities = new Map<string, readonly Incompatibility[]>();

  constructor(tables: ExplanationTables) {
    this.#tables = tables;
    this.#typeRefusals = new TypeRefusals(tables.sets);
  }

  /** Whether it costs nothing to write this one. */
  knows(raw: RawFailure): boolean {
    return this.#known.has(raw);
  }

  write(raw: RawFailure): Failure {
    let failure = this.#known.get(raw);
    if (failure === undefined) {
      const refusals = raw.refusals.map(({ nodePool, refusal }) => ({
        nodePool,
        refusal: this.#refusal(refusal, raw),
      }));
      failure = refusals.length === 0 ? { why: 'NoUsablePools' } : { why: 'PoolsRefused', refusals };
      this.#known.set(raw, failure);
    }
    return failure;
  }

  #refusal(raw: RawRefusal, failure: RawFailure): Refusal {
    switch (raw.why) {
      case 'ResourceLimits':
        return limitRefusal(raw);
      case 'Taints':
        return { why: 'Taints', untolerated: this.#untolerated(raw) };
      case 'Requirements':
        return { why: raw.why, problems: this.#problems(raw.existing, raw.incoming, raw.hostname) };
      case 'VolumeRequirements':
        return { why: raw.why, problems: this.#volumeProblems(raw, failure) };
      case 'Topology':
        return this.#topologyRefusal(raw.set, raw.hostname, failure);
      case 'InstanceTypes':
        return this.#typeRefusals.write(raw);
      case 'Reservation':
        return reservationRefusal(raw);
      default:
        return raw satisfies PlainRefusal;
    }
  }

  #untolerated({ template, tolerations }: RawRefusal & { readonly why: 'Taints' }): readonly Taint[] {
    const { taints } = this.#tables;
    return findUntolerated(taints.taints(template.taints), taints.tolerations(tolerations));
  }

  /** Volumes that exclude each other do so on every node. */
  #volumeProblems(raw: RawRefusal & { readonly why: 'Requirements' | 'VolumeRequirements' }, { podClass }: RawFailure) {
    const { volumeNeeds, volumeAlternatives } = podClass.shape;
    const { existing, incoming, hostname } = raw;
    if (!areImpossible(incoming) || volumeNeeds.kind === 'missing') return this.#problems(existing, incoming, hostname);
    return findContradictions(volumeNeeds.alternatives[volumeAlternatives.indexOf(incoming)] ?? []);
  }

  /** Pods of thousands of sizes that ask for one impossible label share what is said about it. */
  #problems(existing: RequirementSet, incoming: NodeNeeds, hostname: string): readonly Incompatibility[] {
    const question = `${existing.id} ${incoming.set.id}`;
    const known = incoming.hostname === undefined ? this.#incompatibilities.get(question) : undefined;
    if (known !== undefined) return known;
    const { sets, profile } = this.#tables;
    const asked = new Map(sets.toRequirements(incoming.set));
    if (incoming.hostname !== undefined) asked.set(HOSTNAME_LABEL, incoming.hostname);
    const node = this.#nodeRequirements(existing, hostname);
    const plain = findIncompatibilities(node, asked, profile.wellKnownLabels);
    const problems = plain.length > 0 ? plain : sets.findConflicts(existing, incoming.set);
    if (incoming.hostname === undefined) this.#incompatibilities.set(question, problems);
    return problems;
  }

  /** The first rule that leaves nothing; else the first that leaves nothing of what those before it left of its key. */
  #topologyRefusal(set: RequirementSet, hostname: string, failure: RawFailure): Refusal {
    const { topology, profile } = this.#tables;
    const node = this.#nodeRequirements(set, hostname);
    const strict = failure.stage.strictNeeds;
    const left = new Map(node);
    const rules: RuleDomains[] = [];
    for (const rule of topology.allRules(failure.podClass.kind, failure.binding)) {
      const { kind, key } = rule.group.rule;
      const podDomains = this.#needOn(key, strict) ?? anything(key);
      const nodeDomains = node.get(key) ?? anything(key);
      if (!this.#isOpen(rule, set, hostname, failure)) {
        const counts = this.#countsOf(rule.group);
        return { why: 'Topology', rule: kind, key, counts, podDomains, nodeDomains };
      }
      if (rule.group instanceof HostGroup) continue;
      const own = listed(this.#choiceOf(rule as BindingRule & { group: LabelGroup }, failure), profile);
      rules.push({ rule: kind, key, domains: [...own.values].sort() });
      const problems = findIncompatibilities(left, new Map([[key, own]]), profile.wellKnownLabels);
      if (problems.length > 0) {
        return { why: 'TopologyRequirements', problems, rules: rules.filter((one) => one.key === key) };
      }
      left.set(key, intersect(left.get(key) ?? own, own));
    }
    return { why: 'TopologyRequirements', problems: [], rules }; // they have changed their mind since
  }

  /** Whether a rule alone leaves the node open to the pod, a custom label it does not have aside. */
  #isOpen(rule: BindingRule, set: RequirementSet, hostname: string, failure: RawFailure): boolean {
    const { group, isSelected } = rule;
    if (group instanceof HostGroup) {
      const noNames = { nameOf: () => '' };
      const bounds = group.bounds(failure.stage.strictNeeds.hostname, isSelected, noNames, noNames);
      return bounds === undefined || bounds.accepts(0, hostname);
    }
    const choice = this.#choiceOf({ group, isSelected }, failure);
    return choice.openTo(set.find(group.domains.keyId)).length > 0;
  }

  #choiceOf({ group, isSelected }: { group: LabelGroup; isSelected: boolean }, { stage }: RawFailure): KeyChoice {
    const choice = new KeyChoice(group.domains);
    const requirement = stage.strictNeeds.set.find(group.domains.keyId);
    group.restrict(choice, requirement < 0 ? undefined : group.domains.admitted(requirement), isSelected);
    return choice;
  }

  #countsOf(group: Group): ReadonlyMap<string, number> {
    let counts = this.#counts.get(group);
    if (counts === undefined) {
      const { topology, planned } = this.#tables;
      counts = group instanceof HostGroup ? topology.hostCounts(group, planned) : group.counts();
      this.#counts.set(group, counts);
    }
    return counts;
  }

  #needOn(key: string, { set, hostname }: NodeNeeds): Requirement | undefined {
    return key === HOSTNAME_LABEL ? hostname : this.#tables.sets.toRequirements(set).get(key);
  }

  #nodeRequirements(set: RequirementSet, hostname: string): Requirements {
    const requirements = new Map(this.#tables.sets.toRequirements(set));
    requirements.set(HOSTNAME_LABEL, toRequirement(inList(HOSTNAME_LABEL, [hostname]), this.#tables.profile));
    return requirements;
  }
}

function listed(choice: KeyChoice, profile: ProviderProfile): Requirement {
  const names = choice.open().map((domain) => choice.domains.nameOf(domain));
  return toRequirement(inList(choice.domains.key, names), profile);
}

function inList(key: string, values: readonly string[]) {
  return { key, operator: 'In', values };
}
