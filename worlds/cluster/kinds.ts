import type { ApiObject, ResourceList } from '@karpenter-ts/kubernetes';
import type { TaintSpec } from '@karpenter-ts/apis';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

/** What the world reads of a Node. */
export interface Node extends ApiObject {
  readonly spec?: { readonly providerID?: string; readonly taints?: readonly TaintSpec[] };
  readonly status?: {
    readonly capacity?: ResourceList;
    readonly allocatable?: ResourceList;
    readonly conditions?: readonly Condition[];
  };
}

/** What the world reads of a Pod. */
export interface Pod extends ApiObject {
  readonly spec: {
    readonly nodeName?: string;
    readonly terminationGracePeriodSeconds?: number;
    readonly tolerations?: readonly { readonly key?: string; readonly operator?: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly startTime?: string;
    readonly conditions?: readonly Condition[];
  };
}

/** What the world reads of a Deployment, StatefulSet or Job. */
export interface Workload extends ApiObject {
  readonly spec: { readonly replicas?: number; readonly completions?: number };
  readonly status?: { readonly readyReplicas?: number; readonly conditions?: readonly Condition[] };
}
