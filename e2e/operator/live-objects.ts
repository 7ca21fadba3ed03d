// What the suites read of a cluster.
import { type ApiObject, type Condition, isTrue, READY, type Taint } from '@karpenter-ts/kubernetes';

export interface LivePod extends ApiObject {
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase: string; readonly conditions?: readonly Condition[] };
}

export interface LiveNode extends ApiObject {
  readonly spec: { readonly providerID?: string; readonly taints?: readonly Taint[] };
  readonly status: { readonly allocatable: Readonly<Record<string, string>> };
}

export interface LiveEvent extends ApiObject {
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

export function isReady(pod: LivePod): boolean {
  return isTrue(pod, READY);
}
