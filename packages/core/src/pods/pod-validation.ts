import {
  combineRequirements,
  NODEPOOL_LABEL,
  normalizeLabelKey,
  operatorOf,
  requirementFaults,
  type RequirementSpec,
  splitKnownValues,
  toRequirement,
} from '@karpenter-ts/apis';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { Pod } from '@karpenter-ts/kubernetes';
import { type PodProblem, type Rejection, renderRejection } from '../state/pod-failure.ts';
import { findVolumeFault, type StorageObjects } from './volume-checks.ts';

/** A requirement with values that no node has, beside others that some have: it is planned with the valid ones. */
export interface UnknownValues {
  readonly key: string;
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
}

export interface ValidationDeps {
  readonly provider: Pick<CloudProvider, 'profile' | 'unsupportedVolumes'>;
  readonly objects: StorageObjects;
}

const OPTS_OUT: PodProblem = { why: 'OptsOut' };
const MATCH_FIELDS: PodProblem = { why: 'MatchFields' };

/**
 * Finds pending pods that no node could be created for (spec 02 §4.2). One instance serves one pass: it checks each
 * distinct requirement once.
 */
export class PodValidation {
  readonly #deps: ValidationDeps;
  /** What was found in the requirements checked so far, each requirement once. */
  readonly unknownValues: UnknownValues[] = [];
  readonly #problems = new Map<string, readonly PodProblem[]>(); // by the requirement as text
  readonly #rejections = new Map<string, Rejection>(); // by the problems as text

  constructor(deps: ValidationDeps) {
    this.#deps = deps;
  }

  /** Undefined for a pod that can be planned. */
  findRejection(pod: Pod): Rejection | undefined {
    const { provider, objects } = this.#deps;
    const volumeFault = findVolumeFault(pod, objects, provider.unsupportedVolumes);
    const problems: readonly PodProblem[] = [
      ...(this.#optsOut(pod) ? [OPTS_OUT] : []),
      ...selectorRequirements(pod).flatMap((requirement) => this.#check(requirement)),
      ...this.#affinityProblems(pod),
      ...(volumeFault === undefined ? [] : [{ why: 'Volume', fault: volumeFault } as const]),
    ];
    return problems.length === 0 ? undefined : this.#rejectionFor(problems);
  }

  /** Equal rejections are one object: thousands of pods may be ignored for the same reason. */
  #rejectionFor(problems: readonly PodProblem[]): Rejection {
    const found: Rejection = { why: 'Ignored', problems };
    const text = renderRejection(found);
    let rejection = this.#rejections.get(text);
    if (rejection === undefined) {
      rejection = found;
      this.#rejections.set(text, rejection);
    }
    return rejection;
  }

  /** Evaluated as planning begins: with the heaviest preference and the first of the alternative terms. */
  #optsOut({ spec }: Pod): boolean {
    const { profile } = this.#deps.provider;
    const affinity = spec.affinity?.nodeAffinity;
    const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const heaviest = preferred.reduce((a, b) => (b.weight > a.weight ? b : a), preferred[0]!);
    const [required] = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
    const selected = spec.nodeSelector?.[NODEPOOL_LABEL];
    const specs: readonly RequirementSpec[] = [
      ...(selected === undefined ? [] : [{ key: NODEPOOL_LABEL, operator: 'In', values: [selected] }]),
      ...(heaviest?.preference.matchExpressions ?? []),
      ...(required?.matchExpressions ?? []),
    ];
    const onPool = specs.filter(({ key }) => key === NODEPOOL_LABEL).map((one) => toRequirement(one, profile));
    const combined = combineRequirements(onPool).get(NODEPOOL_LABEL);
    return combined !== undefined && operatorOf(combined) === 'DoesNotExist';
  }

  #affinityProblems({ spec }: Pod): readonly PodProblem[] {
    const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    return (required?.nodeSelectorTerms ?? []).flatMap(({ matchFields, matchExpressions = [] }) => [
      ...(matchFields === undefined ? [] : [MATCH_FIELDS]),
      ...matchExpressions.flatMap((requirement) => this.#check(requirement)),
    ]);
  }

  #check(requirement: RequirementSpec): readonly PodProblem[] {
    const { key, operator, values } = requirement;
    const text = JSON.stringify([key, operator, values]);
    let problems = this.#problems.get(text);
    if (problems === undefined) {
      const faults = requirementFaults(requirement, this.#deps.provider.profile);
      problems = faults.map((fault) => ({ why: 'Requirement', requirement, fault }));
      this.#problems.set(text, problems);
      this.#noteUnknownValues(requirement);
    }
    return problems;
  }

  #noteUnknownValues(requirement: RequirementSpec): void {
    const { profile } = this.#deps.provider;
    const key = normalizeLabelKey(requirement.key, profile);
    const known = splitKnownValues({ ...requirement, key }, profile);
    if (known === undefined || known.valid.length === 0 || known.invalid.length === 0) return;
    this.unknownValues.push({ key, valid: known.valid, invalid: known.invalid });
  }
}

/** Sorted by key, so that equal pods give equal texts. */
function selectorRequirements({ spec }: Pod): readonly RequirementSpec[] {
  const entries = Object.entries(spec.nodeSelector ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, value]) => ({ key, operator: 'In', values: [value] }));
}
