import type { ApiObject } from '../objects/resource-type.ts';
import type { LabelSelectorSpec } from '../selectors/label-selector.ts';
import type { ObjectCondition } from './condition.ts';
import type { PodTemplate } from './pod.ts';

export interface Job extends ApiObject {
  readonly spec: {
    readonly parallelism?: number | undefined;
    readonly completions?: number | undefined;
    readonly completionMode?: string | undefined;
    readonly backoffLimit?: number | undefined;
    readonly activeDeadlineSeconds?: number | undefined;
    readonly suspend?: boolean | undefined;
    readonly managedBy?: string | undefined;
    readonly podReplacementPolicy?: string | undefined;
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
  };
  readonly status?: JobStatus | undefined;
}

export interface JobStatus {
  readonly active?: number | undefined;
  readonly ready?: number | undefined;
  readonly terminating?: number | undefined;
  readonly succeeded?: number | undefined;
  readonly failed?: number | undefined;
  readonly startTime?: string | undefined;
  readonly completionTime?: string | undefined;
  readonly completedIndexes?: string | undefined;
  /** Pods that have finished and are on their way into the counters: their finalizers may still be there. */
  readonly uncountedTerminatedPods?:
    | { readonly succeeded?: readonly string[] | undefined; readonly failed?: readonly string[] | undefined }
    | undefined;
  readonly conditions?: readonly ObjectCondition[] | undefined;
}
