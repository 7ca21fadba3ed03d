import { isTrue, type ObjectMeta, READY, type ResourceList } from '@karpenter-ts/kubernetes';
import type { TaintSpec } from '@karpenter-ts/apis';

/** What the controllers read of a v1 Node; what planning reads is part of it. */
export interface Node {
  readonly metadata: ObjectMeta;
  readonly spec?:
    | {
        readonly providerID?: string | undefined;
        readonly taints?: readonly TaintSpec[] | undefined;
        readonly unschedulable?: boolean | undefined;
      }
    | undefined;
  readonly status?:
    | {
        /** Deprecated; most kubelets leave it out. */
        readonly phase?: string;
        readonly capacity?: ResourceList;
        readonly allocatable?: ResourceList;
        readonly conditions?: readonly NodeCondition[] | undefined;
      }
    | undefined;
}

interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string | undefined;
}

/** Whether its kubelet says it can run pods. */
export function isReady(node: Node): boolean {
  return isTrue(node, READY);
}
