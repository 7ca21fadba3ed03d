import type { NodeClaim, NodePool, ProviderProfile } from '@karpenter-ts/apis';
import type { ResourceType } from '@karpenter-ts/kubernetes';
import type { InstanceType } from '@karpenter-ts/scheduling';

/**
 * The contract with a cloud (spec 03 §6). A call rejects with one of the errors of `errors.ts` where one fits; any
 * other error is retried. No call changes its arguments. A call whose signal is aborted must reject as soon as it can,
 * because the process cannot stop before.
 */
export interface CloudProvider {
  /** The name in metrics, such as `aws` or `kwok`. */
  readonly name: string;
  /** The labels that this provider adds to the well-known ones. */
  readonly profile: ProviderProfile;
  /** The kinds of NodeClass it understands; the first is the default. Each has status conditions. */
  readonly nodeClasses: readonly ResourceType[];
  /** Conditions of Nodes that mean an instance cannot recover. An empty list switches node repair off. */
  readonly repairPolicies: readonly RepairPolicy[];
  /** Steps that must succeed before a Node counts as registered. */
  readonly registrationHooks: readonly RegistrationHook[];
  /** The label that names a capacity reservation; undefined for a cloud without reservations. */
  readonly reservationIdLabel: string | undefined;
  /**
   * The labels that an instance loses when its capacity reservation ends: the reservation id label and any others. They
   * are ignored when a reserved instance is matched with offerings. Otherwise an instance that has just become
   * on-demand, but whose labels do not say so yet, would count as drifted. Empty for a cloud without reservations.
   */
  readonly reservedCapacityLabels: ReadonlySet<string>;
  /**
   * Volumes that instances of this cloud cannot attach. Pods that need one are not provisioned for. None by default.
   */
  readonly unsupportedVolumes?: UnsupportedVolumes | undefined;
  /** The `terminationGracePeriod` of NodeClaims whose NodePool names none; none unless given. */
  readonly defaultTerminationGracePeriod?: string | undefined;

  /**
   * Launches an instance that satisfies the NodeClaim's requirements and requests. Resolves with a NodeClaim that
   * carries the outcome: labels, annotations, provider id, image id, capacity and allocatable. A second call for the
   * same NodeClaim returns the instance of the first, where the cloud allows it.
   */
  create(nodeClaim: NodeClaim, signal: AbortSignal): Promise<NodeClaim>;
  /**
   * Starts the termination of the instance. Resolves while it is terminating, and rejects with NodeClaimNotFoundError
   * once it is gone.
   */
  delete(nodeClaim: NodeClaim, signal: AbortSignal): Promise<void>;
  /** Returns the instance as a NodeClaim; rejects with NodeClaimNotFoundError if there is none. */
  get(providerId: string, signal: AbortSignal): Promise<NodeClaim>;
  /** Lists all instances of this cluster. Those that are terminating carry a deletion timestamp. */
  list(signal: AbortSignal): Promise<readonly NodeClaim[]>;
  /**
   * Returns every instance type the pool's NodeClass allows, including those without an available offering. The planner
   * builds an index per array, so an unchanged answer should be the same array.
   */
  instanceTypes(nodePool: NodePool, signal: AbortSignal): Promise<readonly InstanceType[]>;
  /** Returns why the instance no longer matches its NodeClass; undefined if it does. */
  findDrift(nodeClaim: NodeClaim, signal: AbortSignal): Promise<string | undefined>;
}

/** Which volumes a provider's instances cannot have (spec 02 §15.1). */
export interface UnsupportedVolumes {
  /** CSI drivers, or provisioners of StorageClasses. */
  readonly drivers: ReadonlySet<string>;
  /** Labels in a StorageClass' `allowedTopologies` that its Nodes never carry. */
  readonly topologyKeys: ReadonlySet<string>;
}

/** A Node that has had this condition for `toleration` milliseconds is replaced (spec 03 §14). */
export interface RepairPolicy {
  readonly conditionType: string;
  readonly conditionStatus: 'True' | 'False' | 'Unknown';
  readonly toleration: number;
}

/** A provider's work between the creation of a Node and its registration (spec 03 §6.3). */
export interface RegistrationHook {
  readonly name: string;
  /** Called in every reconcile until the NodeClaim is registered. A rejection is retried. */
  prepare(nodeClaim: NodeClaim, signal: AbortSignal): Promise<HookResult>;
}

export type HookResult =
  /** Done. The NodeClaim may carry additional labels and annotations. */
  | { readonly ready: true; readonly nodeClaim: NodeClaim }
  /** Not done. Called again after `requeueAfter` milliseconds, or with back-off if it is undefined. */
  | { readonly ready: false; readonly requeueAfter?: number | undefined };
