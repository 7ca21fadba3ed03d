import type { Incompatibility, Requirement, Requirements, TaintSpec } from '@karpenter-ts/apis';
import type { Amounts } from '../resources/amounts.ts';

/** Why a pod has no place in the plan. Data only: `renderFailure` puts it in upstream's words. */
export type Failure =
  /** The snapshot has no pool at all; existing nodes are not even tried. */
  | { readonly why: 'NoPools' }
  /** There are pools, but none has an instance type that meets its requirements. */
  | { readonly why: 'NoUsablePools' }
  /** The pod asks for devices through ResourceClaims. */
  | { readonly why: 'DynamicResources' }
  /** An object the pod's volumes need is missing, so that its constraints are not known. */
  | { readonly why: 'VolumeLookup'; readonly missing: MissingVolumeObject }
  /** No node had room, and every pool said no to a new one: in order of the pools, one refusal each. */
  | { readonly why: 'PoolsRefused'; readonly refusals: readonly PoolRefusal[] }
  /** It was placed, but its node's list of types had to be cut below `minValues`. */
  | { readonly why: 'Truncated'; readonly nodePool: string; readonly labels: readonly string[] };

export interface MissingVolumeObject {
  readonly kind: 'PersistentVolumeClaim' | 'PersistentVolume' | 'StorageClass';
  /** `namespace/name`, or the name of what has no namespace. */
  readonly name: string;
}

export interface PoolRefusal {
  readonly nodePool: string;
  readonly refusal: Refusal;
}

/** Why a new node of one pool cannot take a pod: the first check that fails. */
export type Refusal =
  | { readonly why: 'NodeLimit' }
  | { readonly why: 'ResourceLimits' }
  | { readonly why: 'Taints'; readonly untolerated: readonly TaintSpec[] }
  | { readonly why: 'Requirements'; readonly problems: readonly Incompatibility[] }
  | { readonly why: 'VolumeRequirements'; readonly problems: readonly Incompatibility[] }
  | TopologyRefusal
  /** Rules of topology leave the node a label it cannot have. */
  | { readonly why: 'TopologyRequirements'; readonly problems: readonly Incompatibility[] }
  | InstanceTypeRefusal
  /** Reserved capacity would do but is taken; the next run may find it free. */
  | { readonly why: 'Reservation'; readonly problem: 'Taken' | 'WouldBeLost' };

/** No domain of a topology key is open to the pod on this node. */
export interface TopologyRefusal {
  readonly why: 'Topology';
  readonly rule: 'spread' | 'affinity' | 'anti-affinity';
  readonly key: string;
  /** Matching pods by domain when planning ended. */
  readonly counts: ReadonlyMap<string, number>;
  readonly podDomains: Requirement;
  readonly nodeDomains: Requirement;
}

/** No instance type is left. The flags say which tests some type passed, alone and in pairs (spec 02 §21). */
export interface InstanceTypeRefusal {
  readonly why: 'InstanceTypes';
  readonly met: FilterVerdict;
  /** Labels of which too few values are left, though some types passed every test. */
  readonly shortOfValues: readonly string[];
  readonly requirements: Requirements;
  readonly podRequests: Amounts;
  /** Of the daemons on the types considered, smallest and largest; empty if no daemon counts. */
  readonly leastDaemonRequests: Amounts;
  readonly mostDaemonRequests: Amounts;
}

/** What at least one instance type managed. */
export interface FilterVerdict {
  readonly compatible: boolean;
  readonly fits: boolean;
  readonly hasOffering: boolean;
  readonly compatibleAndFitsOnly: boolean;
  readonly compatibleAndOfferingOnly: boolean;
  readonly fitsAndOfferingOnly: boolean;
}

/** Whether the pod is to wait for reserved capacity: no event, not counted as unschedulable (spec 02 §20). */
export function awaitsReservation(failure: Failure): boolean {
  return failure.why === 'PoolsRefused' && failure.refusals.some(({ refusal }) => refusal.why === 'Reservation');
}
