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
import type { Logger } from '@karpenter-ts/runtime';
import type { Pod } from '@karpenter-ts/kubernetes';
import { findVolumeFault, type StorageObjects } from './volume-checks.ts';

/** Why a pod is ignored. */
export interface Rejection {
  /** All problems, in upstream's words. */
  readonly reason: string;
  /** The pod opts out of our nodes on purpose, so nobody needs to be told. */
  readonly isOptOut: boolean;
}

export interface ValidationDeps {
  readonly provider: Pick<CloudProvider, 'profile' | 'unsupportedVolumes'>;
  readonly objects: StorageObjects;
  readonly logger: Logger;
}

const OPT_OUT = `configured to not run on a Karpenter provisioned node (requirement=${NODEPOOL_LABEL} DoesNotExist)`;
const MATCH_FIELDS = 'node selector term with matchFields is not supported';

/**
 * Finds pending pods that no node could be created for (spec 02 §4.2). One instance serves one pass: it checks each
 * distinct requirement once.
 */
export class PodValidation {
  readonly #deps: ValidationDeps;
  readonly #faults = new Map<string, readonly string[]>(); // by the requirement as text

  constructor(deps: ValidationDeps) {
    this.#deps = deps;
  }

  /** Undefined for a pod that can be planned. */
  findRejection(pod: Pod): Rejection | undefined {
    const { provider, objects } = this.#deps;
    const isOptOut = this.#optsOut(pod);
    const volumeFault = findVolumeFault(pod, objects, provider.unsupportedVolumes);
    const faults = [
      ...(isOptOut ? [OPT_OUT] : []),
      ...selectorRequirements(pod).flatMap((requirement) => this.#check(requirement)),
      ...this.#affinityFaults(pod),
      ...(volumeFault === undefined ? [] : [volumeFault]),
    ];
    return faults.length === 0 ? undefined : { reason: faults.join('; '), isOptOut };
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

  #affinityFaults({ spec }: Pod): readonly string[] {
    const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    return (required?.nodeSelectorTerms ?? []).flatMap(({ matchFields, matchExpressions = [] }) => [
      ...(matchFields === undefined ? [] : [MATCH_FIELDS]),
      ...matchExpressions.flatMap((requirement) => this.#check(requirement)),
    ]);
  }

  #check(requirement: RequirementSpec): readonly string[] {
    const { key, operator, values } = requirement;
    const text = JSON.stringify([key, operator, values]);
    let faults = this.#faults.get(text);
    if (faults === undefined) {
      faults = requirementFaults(requirement, this.#deps.provider.profile);
      this.#faults.set(text, faults);
      this.#reportUnknownValues(requirement);
    }
    return faults;
  }

  /** Unknown values are tolerated beside known ones, but they are logged. */
  #reportUnknownValues(requirement: RequirementSpec): void {
    const { profile } = this.#deps.provider;
    const key = normalizeLabelKey(requirement.key, profile);
    const known = splitKnownValues({ ...requirement, key }, profile);
    if (known === undefined || known.valid.length === 0 || known.invalid.length === 0) return;
    const error = new Error('invalid values found for key');
    this.#deps.logger.error('please correct found invalid values, proceeding with valid values', error, {
      key,
      'valid-values': known.valid,
      'invalid-values': known.invalid,
    });
  }
}

/** Sorted by key, so that equal pods give equal texts. */
function selectorRequirements({ spec }: Pod): readonly RequirementSpec[] {
  const entries = Object.entries(spec.nodeSelector ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, value]) => ({ key, operator: 'In', values: [value] }));
}
