import {
  anything,
  findIncompatibilities,
  HOSTNAME_LABEL,
  type Incompatibility,
  type ProviderProfile,
  type Requirement,
  type Requirements,
  toRequirement,
} from '@karpenter-ts/apis';
import { findUntolerated, type TaintTable } from '../checks/taints.ts';
import type { OverheadGroup } from '../packing/overhead-group.ts';
import type { FailureDraft, InstanceTypeDraft, RefusalDraft } from '../packing/refusal-draft.ts';
import type { NodeNeeds, RequirementSet, RequirementSets } from '../requirements/requirement-set.ts';
import { type Amounts, largestAmounts, NO_AMOUNTS, smallestAmounts } from '../resources/amounts.ts';
import { HostGroup } from '../topology/host-group.ts';
import { KeyChoice } from '../topology/key-choice.ts';
import type { LabelGroup } from '../topology/label-group.ts';
import type { BindingRule, Group, Topology } from '../topology/topology.ts';
import type { Failure, FilterVerdict, InstanceTypeRefusal, Refusal } from './reason.ts';

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
  readonly #known = new Map<FailureDraft, Failure>();
  readonly #counts = new Map<Group, ReadonlyMap<string, number>>();

  constructor(tables: ExplanationTables) {
    this.#tables = tables;
  }

  write(draft: FailureDraft): Failure {
    let failure = this.#known.get(draft);
    if (failure === undefined) {
      const refusals = draft.refusals.map(({ nodePool, refusal }) => ({
        nodePool,
        refusal: this.#refusal(refusal, draft),
      }));
      failure = refusals.length === 0 ? { why: 'NoUsablePools' } : { why: 'PoolsRefused', refusals };
      this.#known.set(draft, failure);
    }
    return failure;
  }

  #refusal(draft: RefusalDraft, failure: FailureDraft): Refusal {
    const { taints } = this.#tables;
    switch (draft.why) {
      case 'Taints': {
        const untolerated = findUntolerated(
          taints.taints(draft.template.taints),
          taints.tolerations(draft.tolerations),
        );
        return { why: 'Taints', untolerated };
      }
      case 'Requirements':
      case 'VolumeRequirements':
        return { why: draft.why, problems: this.#problems(draft.existing, draft.incoming, draft.hostname) };
      case 'Topology':
        return this.#topologyRefusal(draft.set, draft.hostname, failure);
      case 'InstanceTypes':
        return this.#typeRefusal(draft, failure);
      default:
        return draft;
    }
  }

  #problems(existing: RequirementSet, incoming: NodeNeeds, hostname: string): readonly Incompatibility[] {
    const { sets, profile } = this.#tables;
    const asked = new Map(sets.toRequirements(incoming.set));
    if (incoming.hostname !== undefined) asked.set(HOSTNAME_LABEL, incoming.hostname);
    return findIncompatibilities(this.#nodeRequirements(existing, hostname), asked, profile.wellKnownLabels);
  }

  /** The first rule that leaves nothing; else the key on which rules exclude each other. */
  #topologyRefusal(set: RequirementSet, hostname: string, failure: FailureDraft): Refusal {
    const { topology, profile } = this.#tables;
    const node = this.#nodeRequirements(set, hostname);
    const strict = failure.stage.strictNeeds;
    const left = new Map<string, KeyChoice>();
    for (const rule of topology.allRules(failure.podClass.kind, failure.binding)) {
      const { kind, key } = rule.group.rule;
      const podDomains = this.#needOn(key, strict) ?? anything(key);
      const nodeDomains = node.get(key) ?? anything(key);
      if (!this.#isOpen(rule, set, hostname, failure)) {
        const counts = this.#countsOf(rule.group);
        return { why: 'Topology', rule: kind, key, counts, podDomains, nodeDomains };
      }
      if (rule.group instanceof HostGroup) continue;
      const own = this.#choiceOf(rule as BindingRule & { group: LabelGroup }, failure);
      const asked = new Map([[key, listed(own, profile)]]);
      const earlier = left.get(key);
      const existing = earlier === undefined ? node : new Map([[key, listed(earlier, profile)]]);
      const problems = findIncompatibilities(existing, asked, profile.wellKnownLabels);
      if (problems.length > 0) return { why: 'TopologyRequirements', problems };
      left.set(key, own);
    }
    return { why: 'TopologyRequirements', problems: [] };
  }

  /** Whether a rule alone leaves the node open to the pod, a custom label it does not have aside. */
  #isOpen(rule: BindingRule, set: RequirementSet, hostname: string, failure: FailureDraft): boolean {
    const { group, isSelected } = rule;
    if (group instanceof HostGroup) {
      const noNames = { nameOf: () => '' };
      return group.demand(failure.stage.strictNeeds.hostname, isSelected, noNames, noNames).accepts(0, hostname);
    }
    const choice = this.#choiceOf({ group, isSelected }, failure);
    return choice.narrow(set.find(group.domains.keyId)).length > 0;
  }

  #choiceOf({ group, isSelected }: { group: LabelGroup; isSelected: boolean }, { stage }: FailureDraft): KeyChoice {
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

  #typeRefusal(draft: InstanceTypeDraft, { podClass }: FailureDraft): InstanceTypeRefusal {
    const overheads = draft.groups
      .map((group) => draft.template.overheadGroups[group] as OverheadGroup)
      .map(({ requests }) => requests)
      .filter((requests) => requests.size > 0);
    const fold = (combine: (a: Amounts, b: Amounts) => Amounts) =>
      overheads.length === 0 ? NO_AMOUNTS : overheads.reduce(combine);
    return {
      why: 'InstanceTypes',
      met: verdictOf(draft),
      shortOfValues: draft.shortages,
      requirements: this.#tables.sets.toRequirements(draft.set),
      podRequests: podClass.shape.requests,
      leastDaemonRequests: fold(smallestAmounts),
      mostDaemonRequests: fold(largestAmounts),
    };
  }
}

/** Which tests some type passed. A type is large enough only as what it is offered as, so fitting implies an offering. */
function verdictOf({ template, set, considered, largeEnough }: InstanceTypeDraft): FilterVerdict {
  const { market } = template;
  const { compatible, offered } = market.supply(set);
  const types = Map.groupBy(considered, (variant) => market.catalogue.typeOf[variant]!);
  const verdicts = [...types.values()].map((variants) => ({
    compatible: variants.some((variant) => compatible.has(variant)),
    hasOffering: variants.some((variant) => offered.has(variant)),
    fits: variants.some((variant) => offered.has(variant) && largeEnough.has(variant)),
  }));
  return {
    compatible: verdicts.some((type) => type.compatible),
    fits: verdicts.some((type) => type.fits),
    hasOffering: verdicts.some((type) => type.hasOffering),
    compatibleAndFitsOnly: false,
    compatibleAndOfferingOnly: verdicts.some((type) => type.compatible && type.hasOffering && !type.fits),
    fitsAndOfferingOnly: verdicts.some((type) => type.fits && !type.compatible),
  };
}

function listed(choice: KeyChoice, profile: ProviderProfile): Requirement {
  const names = choice.order().map((domain) => choice.domains.nameOf(domain));
  return toRequirement(inList(choice.domains.key, names), profile);
}

function inList(key: string, values: readonly string[]) {
  return { key, operator: 'In', values };
}
