import {
  CORE_PROFILE,
  type NodePool,
  type PackingPolicy,
  type ProviderProfile,
  type RequirementSpec,
} from '@karpenter-ts/apis';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ResourceList,
  StorageClass,
  Taint,
} from '@karpenter-ts/kubernetes';

/**
 * Everything that planning reads, as plain data that it never changes. The order of the lists does not matter, except for
 * the terms of volumes.
 */
export interface Snapshot {
  /** Usable dynamic pools only: ready, not deleting, without `replicas`. */
  readonly pools: readonly Pool[];
  /** The existing nodes on which pods may be placed. */
  readonly nodes: readonly ExistingNode[];
  /** Nodes on their way out: nothing lands there, but pods still on them count for topology. */
  readonly deletingNodes: readonly ExistingNode[];
  /** Nodes a what-if takes away: as those being deleted, but their pods count as moved, not as pending. */
  readonly absentNodes?: readonly ExistingNode[] | undefined;
  /** The pods to be placed. A bound pod among them is about to move, and counts nowhere until it is placed. */
  readonly pods: readonly Pod[];
  /** One per DaemonSet, as its controller would create it. */
  readonly daemonPods: readonly Pod[];
  readonly volumes: Volumes;
  /** The namespaces that a pod affinity may select by label. */
  readonly namespaces: readonly Namespace[];
}

/** A NodePool and what its provider offers for it. Pools may share one array of types, which is then indexed once. */
export interface Pool {
  readonly nodePool: NodePool;
  readonly instanceTypes: readonly InstanceType[];
}

/** An instance type as a provider describes it. Planning never changes it. */
export interface InstanceType {
  readonly name: string;
  /** A requirement for every well-known label: `In` its values, or `DoesNotExist` where it does not apply. */
  readonly requirements: readonly RequirementSpec[];
  /** All of them, also those that cannot be had now. */
  readonly offerings: readonly Offering[];
  readonly capacity: ResourceList;
  readonly overhead: Overhead;
  /** A NodeOverlay changed the capacity. */
  readonly capacityOverlaid?: boolean | undefined;
  /**
   * The provider does not launch a NodeClaim as this type as long as another of its types would do, whatever the price, unless
   * a requirement has `minValues`. On AWS metal types and those with accelerators (spec 07 §12).
   */
  readonly lastResort?: boolean | undefined;
}

/** What the system keeps of a node's capacity; the rest is allocatable. */
export interface Overhead {
  readonly kubeReserved?: ResourceList | undefined;
  readonly systemReserved?: ResourceList | undefined;
  readonly evictionThreshold?: ResourceList | undefined;
}

/** One way to buy an instance type: where, how and at what price. */
export interface Offering {
  /** Zone and capacity type at least, each `In` one value. All keys must be well-known to the provider. */
  readonly requirements: readonly RequirementSpec[];
  readonly pricePerHour: number;
  readonly available: boolean;
  /** Only of capacity type `reserved`: which reservation it draws on and how many instances that has left. */
  readonly reservation?: Reservation | undefined;
  /** Added to the type's capacity when bought this way (spec 02 §11). */
  readonly capacityOverride?: ResourceList | undefined;
  /** Added to the type's overhead when bought this way. */
  readonly overheadOverride?: Overhead | undefined;
  /** A NodeOverlay changed the price. */
  readonly priceOverlaid?: boolean | undefined;
}

/** Capacity paid for in advance. Offerings of one `id` share it, whatever NodePool they are in. */
interface Reservation {
  readonly id: string;
  readonly capacity: number;
}

/** A Node, or a launched NodeClaim whose Node is still to come; `describeNode` derives it from these. */
export interface ExistingNode {
  /** Identifies the node in a `Change`. The name of a Node that has no provider id. */
  readonly providerId: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What a pod must tolerate: without taints a starting node is about to lose (spec 02 §10). */
  readonly taints: readonly Taint[];
  /** The Node object as it is, by which topology counts; `undefined` while there is none. */
  readonly node: NodeFacts | undefined;
  readonly initialized: boolean;
  /** Counts against the pool's limits, as does the node itself as one of `nodes`. */
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
  /** Bound and neither failed nor succeeded, daemons included. */
  readonly pods: readonly Pod[];
  /** How many volumes may be attached, by CSI driver; drivers not listed have no limit. */
  readonly volumeLimits: Readonly<Record<string, number>>;
  /** Takes pending pods and pods of nodes being deleted only. Consolidation sets it until `consolidateAfter` has elapsed. */
  readonly refusesMovedPods: boolean;
}

/** What topology reads of a Node object. */
export interface NodeFacts {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/** The storage objects pods refer to. */
export interface Volumes {
  readonly volumeClaims: readonly PersistentVolumeClaim[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
}

export interface Namespace {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** How to plan. */
export interface PlanningOptions {
  readonly profile: ProviderProfile;
  /** `Respect` treats preferences as rules and drops them one by one; `Ignore` does not look at them. */
  readonly preferencePolicy: 'Respect' | 'Ignore';
  /** Whether a new node may have less variety than `minValues` asks for. */
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  /** `Strict` waits for a reservation rather than buy besides it; `Fallback` buys; `Off` treats them as any offering. */
  readonly reservedCapacity: 'Strict' | 'Fallback' | 'Off';
  /** The label by which a provider names a reservation; needed where there are any. */
  readonly reservationIdLabel: string | undefined;
  /** Pods with ResourceClaims are refused, and daemons with them do not count. */
  readonly ignoreDraRequests: boolean;
  /** How many instance types a planned node may list (spec 02 §22). */
  readonly maxInstanceTypes: number;
  /** Whether to look for cheaper nodes than upstream's; `undefined` for its plan. What-ifs never do. */
  readonly packing: PackingOptions | undefined;
}

/** Whether and how far to leave upstream's plan for a cheaper one (spec 09 A1, A4). */
export interface PackingOptions extends PackingTerms {
  /** The least part of upstream's cost that another plan must save. */
  readonly minGain: number;
  /** How many nodes more than upstream's another plan may have, as a part of these; Infinity for any number. */
  readonly maxExtraNodes: number;
  /** Whether NodePools may say otherwise by annotation. */
  readonly policyByPool: boolean;
  readonly feeByPool: boolean;
}

/** What may differ from pool to pool. */
export interface PackingTerms {
  readonly policy: PackingPolicy;
  /** What a node costs beside its price. */
  readonly nodeFeePerHour: number;
}

/** What upstream's provisioner plans with when no flag is set; the profile is the provider's. */
export const DEFAULT_PLANNING: PlanningOptions = {
  profile: CORE_PROFILE,
  preferencePolicy: 'Respect',
  minValuesPolicy: 'Strict',
  reservedCapacity: 'Strict',
  reservationIdLabel: undefined,
  ignoreDraRequests: true,
  maxInstanceTypes: 600,
  packing: undefined,
};

/** A snapshot of nothing, to be spread under the parts one has. */
export const EMPTY_SNAPSHOT: Snapshot = {
  pools: [],
  nodes: [],
  deletingNodes: [],
  pods: [],
  daemonPods: [],
  volumes: { volumeClaims: [], persistentVolumes: [], storageClasses: [] },
  namespaces: [],
};
