import type { BitSet } from '../interning/bit-set.ts';
import type { NodeNeeds, RequirementSet } from '../requirements/requirement-set.ts';
import type { BindingRule } from '../topology/topology.ts';
import type { NodeTemplate } from './node-template.ts';
import type { PodClass } from './pod-class.ts';
import type { Stage } from './constraints.ts';

/** A refusal in the run's own terms: cheap to make, and put into words and plain data only for pods that stay without. */
export type RefusalDraft =
  | { readonly why: 'NodeLimit' }
  | { readonly why: 'ResourceLimits' }
  | { readonly why: 'Taints'; readonly template: NodeTemplate; readonly tolerations: number }
  | {
      readonly why: 'Requirements' | 'VolumeRequirements';
      readonly existing: RequirementSet;
      readonly incoming: NodeNeeds;
      readonly hostname: string;
    }
  /** Which rule it was is found out later, from the set as it was before any rule. */
  | { readonly why: 'Topology'; readonly set: RequirementSet; readonly hostname: string }
  | InstanceTypeDraft
  | { readonly why: 'Reservation'; readonly problem: 'Taken' | 'WouldBeLost' };

export interface InstanceTypeDraft {
  readonly why: 'InstanceTypes';
  readonly template: NodeTemplate;
  readonly set: RequirementSet;
  /** Variants looked at, and of these the ones large enough. */
  readonly considered: BitSet;
  readonly largeEnough: BitSet;
  /** Overhead groups without a clash of ports. */
  readonly groups: readonly number[];
  readonly shortages: readonly string[];
}

/** What the pools answered to a pod at its last stage. */
export interface FailureDraft {
  readonly podClass: PodClass;
  readonly stage: Stage;
  readonly binding: readonly BindingRule[];
  readonly refusals: readonly { readonly nodePool: string; readonly refusal: RefusalDraft }[];
}
