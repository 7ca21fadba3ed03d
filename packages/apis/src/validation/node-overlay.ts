import type { ResourceList } from '@karpenter-ts/kubernetes';
import type { ProviderProfile } from '../names/provider-profile.ts';
import type { RequirementSpec } from '../requirements/requirement.ts';
import { error, type Problem } from './problem.ts';
import { validateRequirement } from './requirement.ts';

/** What is checked of a NodeOverlay. */
export interface ValidatedNodeOverlay {
  readonly spec: {
    readonly requirements: readonly RequirementSpec[];
    readonly capacity?: ResourceList | undefined;
  };
}

/** Problems the CRD cannot see (spec 01 §4), in upstream's order. */
export function validateNodeOverlay({ spec }: ValidatedNodeOverlay, profile: ProviderProfile): readonly Problem[] {
  const requirements = spec.requirements.flatMap((requirement, index) => {
    const path = `spec.requirements[${index}]`;
    return [...validateRequirement(requirement, profile, path), ...validateExclusion(requirement, path)];
  });
  const capacity = Object.keys(spec.capacity ?? {})
    .sort()
    .filter((resource) => profile.wellKnownResources.has(resource))
    .map((resource) => error(`spec.capacity.${resource}`, `invalid capacity: ${resource} in resource, restricted`));
  return [...requirements, ...capacity];
}

function validateExclusion({ key, operator, values = [] }: RequirementSpec, path: string): readonly Problem[] {
  if (operator !== 'NotIn' || values.length > 0) return [];
  return [error(`${path}.values`, `key ${key} with operator NotIn must have a value defined`)];
}
