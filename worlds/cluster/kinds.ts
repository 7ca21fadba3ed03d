import type { ApiObject, ObjectCondition } from '@karpenter-ts/kubernetes';

/** What the world reads of a Deployment, StatefulSet or Job. */
export interface Workload extends ApiObject {
  readonly spec: { readonly replicas?: number; readonly completions?: number };
  readonly status?: { readonly readyReplicas?: number; readonly conditions?: readonly ObjectCondition[] };
}
