import type { ApiObject } from '@karpenter-ts/kubernetes';
import type { ObjectCondition } from './condition.ts';

export { NODES } from '@karpenter-ts/kubernetes';

/** A node, as far as controllers and kubelets read it. */
export interface Node extends ApiObject {
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly NodeTaint[];
    readonly providerID?: string;
  };
  readonly status?: NodeStatus;
}

export interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

export interface NodeStatus {
  readonly phase?: string;
  readonly conditions?: readonly ObjectCondition[];
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  readonly capacity?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly nodeInfo?: Readonly<Record<string, unknown>>;
}

/** What the label `topology.kubernetes.io/zone` says with its region, as controllers group nodes; '' for neither. */
export function zoneKey({ metadata }: Node): string {
  const region = metadata.labels?.['topology.kubernetes.io/region'] ?? '';
  const zone = metadata.labels?.['topology.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`;
}
