import type { Incompatibility, Requirement, Requirements } from '@karpenter-ts/apis';
import type { Amounts, Quantity, Taint } from '@karpenter-ts/kubernetes';
import type { ValueShortage } from './plan.ts';

/** Why a pod has no place in the plan. Data only: `renderFailure` puts it in upstream's words. */
export type Failure =
  /** The snapshot has no pool at all; existing nodes are not even tried. */
  | { readonly why: 'NoPools' }
  /** There are pools, but none has an instance type that meets its requirements. */
  | { readonly why: 'NoUsablePools' }
  /** The pod asks for devices through ResourceClaims. */
  | { readonly why: 'DynamicResources' }
  /** The pod's own requirements contradict each other, whichever of its preferences and alternatives it gives up. */
  | { readonly why: 'Contradiction'; readonly problems: readonly Incompatibility[] }
  /** An object the pod's volumes need is missing, so that its constraints are not known. */
  | { readonly why: 'VolumeLookup'; readonly missing: MissingVolumeObject }
  /** No node had room, and every pool said no to a new one: in order of the pools, one refusal each. */
  | { readonly why: 'PoolsRefused'; readonly refusals: readonly PoolRefusal[] }
  /** It was placed, but its node's list of types had to be cut below `minValues`. */
  | { readonly why: 'Truncated'; readonly nodePool: string; readonly shortOf: readonly ValueShortage[] };

export interface MissingVolumeObject {
  readonly kind: 'PersistentVolumeClaim' | 'PersistentVolume' | 'StorageClass';
  /** `namespace/name`, or the name of what has no namespace. */
  readonly name: string;
}

export interface PoolRefusal {
  readonly nodePool: string;
  readonly refusal: Refusal;
}

/** What a check says in plain data from the outset, because that costs it nothing. Other refusals are written later. */
export type PlainRefusal =
  /** The pool has as many nodes as it may. */
  { readonly why: 'NodeLimit'; readonly limit: Quantity };

/** Why a new node of one pool cannot take a pod: the first check that fails. */
export type Refusal =
  | PlainRefusal
  /** Each type would breach one limit or another: what the pool may still grow by, and the least any type would add. */
  | { readonly why: 'ResourceLimits'; readonly remaining: Amounts; readonly smallest: Amounts }
  | { readonly why: 'Taints'; readonly untolerated: readonly Taint[] }
  | { readonly why: 'Requirements'; readonly problems: readonly Incompatibility[] }
  | { readonly why: 'VolumeRequirements'; readonly problems: readonly Incompatibility[] }
  | TopologyRefusal
  | TopologyConflict
  | InstanceTypeRefusal
  | ReservationRefusal;

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

/** Rules of topology each leave domains, but none that the node can have and all of them leave. */
export interface TopologyConflict {
  readonly why: 'TopologyRequirements';
  readonly problems: readonly Incompatibility[];
  /** Those that leave none in common, in the order they are looked at. */
  readonly rules: readonly RuleDomains[];
}

/** The domains of a key that one rule leaves a pod, sorted. */
export interface RuleDomains {
  readonly rule: TopologyRefusal['rule'];
  readonly key: string;
  readonly domains: readonly string[];
}

/** No instance type is left (spec 02 §21). */
export interface InstanceTypeRefusal {
  readonly why: 'InstanceTypes';
  readonly types: TypeTally;
  /** Labels of which too few values are left, though some types passed every test. */
  readonly shortOf: readonly ValueShortage[];
  /** Ports of the pod that daemons take on some types, which are not among those looked at. */
  readonly takenPorts: readonly HostPort[];
  /** Names of daemons on some types that cannot run beside the pod, by anti-affinity. Nor are these looked at. */
  readonly avoidedDaemons: readonly string[];
  readonly requirements: Requirements;
  readonly podRequests: Amounts;
  /** Of the daemons on the types looked at, smallest and largest; empty if no daemon counts. */
  readonly leastDaemonRequests: Amounts;
  readonly mostDaemonRequests: Amounts;
}

/** A port a pod takes on its node. */
export interface HostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

/** How many instance types were looked at, and how many of them passed each test alone. */
export interface TypeTally {
  readonly considered: number;
  /** Meet the requirements. */
  readonly compatible: number;
  /** Can be had within the requirements. */
  readonly offered: number;
  /** Can be had, and are large enough that way. */
  readonly fitting: number;
}

/** Reserved capacity would do but is taken, or would be given up; the next run may find it free. */
export interface ReservationRefusal {
  readonly why: 'Reservation';
  readonly problem: 'Taken' | 'WouldBeLost';
  /** Those that would do, or would be given up. */
  readonly reservations: readonly string[];
}

/** Whether the pod is to wait for reserved capacity: no event, not counted as unschedulable (spec 02 §20). */
export function awaitsReservation(failure: Failure): boolean {
  return failure.why === 'PoolsRefused' && failure.refusals.some(({ refusal }) => refusal.why === 'Reservation');
}
