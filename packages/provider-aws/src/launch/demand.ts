import {
  AWS_PROFILE,
  type NodeClaim,
  type Requirement,
  type Requirements,
  admits,
  toRequirements,
} from '@karpenter-ts/apis';
import type { ResourceList } from '@karpenter-ts/kubernetes';

/** What a NodeClaim asks of an instance. */
export interface Demand {
  readonly requirements: Requirements;
  readonly requests: ResourceList;
}

/** Reads a NodeClaim. */
export function demandOf({ spec }: Pick<NodeClaim, 'spec'>): Demand {
  return { requirements: toRequirements(spec.requirements, AWS_PROFILE), requests: spec.resources?.requests ?? {} };
}

/** Whether the requirements leave this value open. What nothing is required of is open for every value. */
export function leavesOpen(requirements: Requirements, key: string, value: string): boolean {
  const requirement = requirements.get(key);
  return requirement === undefined || admits(requirement, value);
}

/** Whether any requirement asks for a number of distinct values. */
export function hasMinValues(requirements: Requirements): boolean {
  return [...requirements.values()].some(({ minValues }) => minValues !== undefined);
}

/** The requirements with another one for its label, which takes the place of what was required. */
export function withValue(requirements: Requirements, key: string, value: string): Requirements {
  const replaced: Requirement = {
    key,
    complement: false,
    values: new Set([value]),
    lowest: undefined,
    highest: undefined,
    minValues: undefined,
  };
  return new Map([...requirements, [key, replaced]]);
}
