import {
  type Incompatibility,
  type ProviderProfile,
  type Requirement,
  toLabelRequirements,
  toRequirement,
} from '@karpenter-ts/apis';
import type { TaintTable } from './taints.ts';
import type { NodeSelectorTerm, Pod } from '@karpenter-ts/kubernetes';
import type { Relaxation } from '../../plan.ts';
import { findContradictions } from '../requirements/contradiction.ts';
import { areImpossible, type NodeNeeds, type RequirementSets } from '../requirements/requirement-set.ts';
import { relax, type Preferences, preferencesOf } from './relaxation.ts';

/** Everything a pod says about where it may run and next to whom. Its resource requests are not part of this. */
export interface Constraints {
  readonly id: number;
  /** Any pod that has these constraints. */
  readonly example: Pod;
  /**
   * From all its preferences to none that can be given up, in upstream's order, which gives up alternatives of the required
   * node affinity before any preference. After these come the alternatives given up, now without preferences: upstream
   * does not go back to them, and refuses a pod that a preference alone kept from an earlier alternative.
   */
  readonly stages: readonly Stage[];
}

/** Constraints after some relaxations. */
export interface Stage {
  readonly index: number;
  readonly preferences: Preferences;
  readonly relaxations: readonly Relaxation[];
  /** The required terms and the heaviest preference. */
  readonly needs: NodeNeeds;
  /** The required terms alone, which decide which domains topology looks at. */
  readonly strictNeeds: NodeNeeds;
  readonly tolerations: number;
  /** Where the needs contradict each other. No node can meet such a stage, so it is not tried. Usually empty. */
  readonly contradictions: readonly Incompatibility[];
  /** Whether it goes back to an alternative that was given up before. */
  readonly isRevisit: boolean;
}

export interface ConstraintTables {
  readonly sets: RequirementSets;
  readonly taints: TaintTable;
  readonly profile: ProviderProfile;
  readonly preferencePolicy: 'Respect' | 'Ignore';
}

/** The constraints of all pods read, each worked out once. */
export class ConstraintTable {
  readonly #tables: ConstraintTables;
  readonly #byText = new Map<string, Constraints>();

  constructor(tables: ConstraintTables) {
    this.#tables = tables;
  }

  of(pod: Pod): Constraints {
    const text = constraintText(pod);
    let constraints = this.#byText.get(text);
    if (constraints === undefined) {
      constraints = { id: this.#byText.size, example: pod, stages: this.#stages(pod) };
      this.#byText.set(text, constraints);
    }
    return constraints;
  }

  #stages(pod: Pod): readonly Stage[] {
    const stages: Stage[] = [];
    const relaxations: Relaxation[] = [];
    let preferences = preferencesOf(pod, this.#tables.preferencePolicy);
    for (;;) {
      stages.push(this.#stage(pod, stages.length, preferences, [...relaxations]));
      const next = relax(preferences);
      if (next === undefined) break;
      preferences = next.preferences;
      relaxations.push(next.relaxation);
    }
    return [...stages, ...this.#revisits(pod, stages)];
  }

  /** The alternatives that the stages gave up, each with what is left when all preferences are given up. */
  #revisits(pod: Pod, stages: readonly Stage[]): readonly Stage[] {
    const { requiredNodeTerms } = stages[0]!.preferences;
    const passed = requiredNodeTerms.length - 1;
    if (passed < 1) return [];
    const isLast = ({ preferences }: Stage): boolean => {
      const next = relax(preferences);
      return next === undefined || next.relaxation.gaveUp === 'PreferNoSchedule';
    };
    const ends = stages.filter((stage) => stage.relaxations.length > passed && isLast(stage));
    return ends
      .flatMap(({ preferences, relaxations }) =>
        Array.from({ length: passed }, (_, term) => ({
          preferences: { ...preferences, requiredNodeTerms: requiredNodeTerms.slice(term) },
          relaxations: [...relaxations.slice(0, term), ...relaxations.slice(passed)],
        })),
      )
      .map((one, index) => this.#stage(pod, stages.length + index, one.preferences, one.relaxations, true));
  }

  #stage(
    pod: Pod,
    index: number,
    preferences: Preferences,
    relaxations: readonly Relaxation[],
    isRevisit = false,
  ): Stage {
    const { sets, taints, profile } = this.#tables;
    const selected = [...toLabelRequirements(pod.spec.nodeSelector ?? {}, profile).values()];
    const required = requirementsOf(preferences.requiredNodeTerms[0], profile);
    const preferred = requirementsOf(preferences.preferredNodeTerms[0]?.preference, profile);
    const strictNeeds = sets.from([...selected, ...required]);
    const all = [...selected, ...required, ...preferred];
    const needs = preferred.length === 0 ? strictNeeds : sets.from(all);
    return {
      index,
      preferences,
      relaxations,
      strictNeeds,
      needs,
      tolerations: taints.internTolerations(preferences.tolerations),
      contradictions: areImpossible(needs) ? findContradictions(all) : NONE,
      isRevisit,
    };
  }
}

const NONE: readonly Incompatibility[] = [];

/** Requirements of a node affinity term, one for each expression; fields are read by nobody here, as upstream. */
export function requirementsOf(term: NodeSelectorTerm | undefined, profile: ProviderProfile): readonly Requirement[] {
  return (term?.matchExpressions ?? []).map((expression) => toRequirement(expression, profile));
}

/** Equal for pods with equal constraints. Called once per pod, so it is quick for the many that have none. */
function constraintText({ spec }: Pod): string {
  const { nodeSelector, affinity, tolerations, topologySpreadConstraints } = spec;
  return json(nodeSelector) + json(affinity) + json(tolerations) + json(topologySpreadConstraints);
}

/** A part of a text that is compared. Each ends with a mark, so that no two texts are equal by chance. */
export function json(part: object | undefined): string {
  return part === undefined ? '|' : `${JSON.stringify(part)}|`;
}
