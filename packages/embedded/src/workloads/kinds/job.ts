import type { ApiObject, LabelSelectorSpec } from '@karpenter-ts/kubernetes';
import type { ObjectCondition } from './condition.ts';
import type { PodTemplate } from './pod.ts';

export { JOBS } from '@karpenter-ts/kubernetes';

export interface Job extends ApiObject {
  readonly spec: {
    readonly parallelism?: number;
    readonly completions?: number;
    readonly completionMode?: string;
    readonly backoffLimit?: number;
    readonly activeDeadlineSeconds?: number;
    readonly suspend?: boolean;
    readonly managedBy?: string;
    readonly podReplacementPolicy?: string;
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
  };
  readonly status?: JobStatus;
}

export interface JobStatus {
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly completedIndexes?: string;
  /** Pods that have finished and are on their way into the counters: their finalizers may still be there. */
  readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] };
  readonly conditions?: readonly ObjectCondition[];
}
