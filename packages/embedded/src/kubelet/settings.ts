import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import type { Node } from '@karpenter-ts/kubernetes';

/** How fast simulated kubelets are, in milliseconds. */
export interface KubeletSettings {
  /** From a node's creation until it is Ready. */
  readonly readyDelay: number;
  /** From a pod's arrival on its node until it runs. */
  readonly startDelay: number;
  /** From a pod's deletion until it has stopped; never more than its grace period, which Infinity uses up. */
  readonly stopDelay: number;
  /** From the start of a Job's pod until it has succeeded. */
  readonly completionDelay: number;
  readonly leaseDuration: number;
  readonly leaseRenewal: number;
  /** How often a node without changes repeats its status. */
  readonly heartbeat: number;
}

/** No delays, like KWOK in the lab; leases and heartbeats as often as a real kubelet. */
export const DEFAULT_SETTINGS: KubeletSettings = {
  readyDelay: 0,
  startDelay: 0,
  stopDelay: 0,
  completionDelay: 0,
  leaseDuration: 40 * SECOND,
  leaseRenewal: 10 * SECOND,
  heartbeat: 5 * MINUTE,
};

/** Whether a node is simulated: it has KWOK's annotation, as in any cluster with KWOK. */
export function isSimulated({ metadata }: Node): boolean {
  return metadata.annotations?.['kwok.x-k8s.io/node'] === 'fake';
}
