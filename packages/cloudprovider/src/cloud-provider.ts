import type { NodeClaim, NodePool, ProviderProfile } from '@karpenter-ts/apis';
import type { ResourceType } from '@karpenter-ts/kubernetes';
import type { InstanceType } from '@karpenter-ts/scheduling';

/**
 * What Karpenter asks of a cloud (spec 03 §6). Calls reject with the errors of `errors.ts` where one fits; any other
 * error is tried again. No call changes what it is given. Once its signal is aborted, a call rejects as soon as it can,
 * whatever it was waiting for: the process is to end, and cannot before.
 */
export interface CloudProvider {
  /** In metrics: `aws`, `kwok`. */
  readonly name: string;
  /** What it adds to the vocabulary of labels. */
  readonly profile: ProviderProfile;
  /** The kinds of NodeClass it understands; the first is the default. Each has status conditions. */
  readonly nodeClasses: readonly ResourceType[];
  /** Conditions of Nodes that mean an instance is beyond help; none switches repair off. */
  readonly repairPolicies: readonly RepairPolicy[];
  /** What must be done before a Node counts as registered. */
  readonly registrationHooks: readonly RegistrationHook[];
  /** The label by which it names a capacity reservation; undefined where there are none. */
  readonly reservationIdLabel: string | undefined;
  /**
   * The labels a reserved instance loses when its reservation ends: the one above and any other. They are not compared
   * when a reserved instance is looked up among the offerings, so that one that has become on-demand, and whose labels do
   * not say so yet, is not taken for drifted. Empty where there are no reservations.
   */
  readonly reservedCapacityLabels: ReadonlySet<string>;
  /** Volumes its instances cannot have: pods that ask for one are left alone. None unless given. */
  readonly unsupportedVolumes?: UnsupportedVolumes | undefined;
  /** The `terminationGracePeriod` of NodeClaims whose NodePool names none; none unless given. */
  readonly defaultTerminationGracePeriod?: string | undefined;

  /**
   * Starts an instance that meets the claim's requirements and requests, and resolves with a claim that carries what was
   * decided: labels, annotations, provider id, image id, capacity and allocatable. A second call for the same claim
   * finds the first one's instance where the cloud allows.
   */
  create(nodeClaim: NodeClaim, signal: AbortSignal): Promise<NodeClaim>;
  /** Orders the instance's end. Resolves while it is ending, rejects with NodeClaimNotFoundError once it is gone. */
  delete(nodeClaim: NodeClaim, signal: AbortSignal): Promise<void>;
  /** The instance as a claim; NodeClaimNotFoundError if there is none. */
  get(providerId: string, signal: AbortSignal): Promise<NodeClaim>;
  /** All instances of this cluster. Those with a deletion timestamp are on their way out. */
  list(signal: AbortSignal): Promise<readonly NodeClaim[]>;
  /**
   * Every type the pool's NodeClass can give, also those without an available offering. Planning indexes the array
   * once, so answers with nothing new in them should be the same array.
   */
  instanceTypes(nodePool: NodePool, signal: AbortSignal): Promise<readonly InstanceType[]>;
  /** Why the instance is no longer what its NodeClass asks for; undefined when it is. */
  findDrift(nodeClaim: NodeClaim, signal: AbortSignal): Promise<string | undefined>;
}

/** Which volumes a provider's instances cannot have (spec 02 §15.1). */
export interface UnsupportedVolumes {
  /** CSI drivers, or provisioners of StorageClasses. */
  readonly drivers: ReadonlySet<string>;
  /** Labels in a StorageClass' `allowedTopologies` that its Nodes never carry. */
  readonly topologyKeys: ReadonlySet<string>;
}

/** An instance whose Node has this condition for so many milliseconds is replaced (spec 03 §14). */
export interface RepairPolicy {
  readonly conditionType: string;
  readonly conditionStatus: 'True' | 'False' | 'Unknown';
  readonly toleration: number;
}

/** Work a provider does between a Node's appearance and its registration (spec 03 §6.3). */
export interface RegistrationHook {
  readonly name: string;
  /** What it made of the claim. Asked at every pass until the claim is registered; rejecting is being asked again. */
  prepare(nodeClaim: NodeClaim, signal: AbortSignal): Promise<HookResult>;
}

export type HookResult =
  /** Done; the claim may carry more labels and annotations now. */
  | { readonly ready: true; readonly nodeClaim: NodeClaim }
  /** Not yet: ask again after so many milliseconds, or as often as an error would be. */
  | { readonly ready: false; readonly requeueAfter?: number | undefined };
