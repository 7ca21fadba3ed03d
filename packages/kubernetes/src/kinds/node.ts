import type { ResourceList } from '../objects/resource-list.ts';
import type { ApiObject } from '../objects/resource-type.ts';
import type { ObjectCondition } from './condition.ts';

/** A v1 Node. */
export interface Node extends ApiObject {
  readonly spec?: NodeSpec | undefined;
  readonly status?: NodeStatus | undefined;
}

interface NodeSpec {
  readonly providerID?: string | undefined;
  readonly taints?: readonly Taint[] | undefined;
  readonly unschedulable?: boolean | undefined;
}

/** The effect is open: what a CRD admits is its business, not this type's. */
export interface Taint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: string;
  readonly timeAdded?: string | undefined;
}

export interface NodeStatus {
  /** Deprecated; most kubelets leave it out. */
  readonly phase?: string | undefined;
  readonly capacity?: ResourceList | undefined;
  readonly allocatable?: ResourceList | undefined;
  readonly conditions?: readonly ObjectCondition[] | undefined;
  readonly addresses?: readonly { readonly type: string; readonly address: string }[] | undefined;
  readonly nodeInfo?: Readonly<Record<string, unknown>> | undefined;
}
