import type { RequirementSpec } from '@karpenter-ts/apis';
import type { ResourceList } from '@karpenter-ts/kubernetes';
import type { Offering } from './offering.ts';

/** A kind of machine as a provider describes it. Never changed by planning. */
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
}

/** What the system keeps of a machine's capacity; the rest is allocatable. */
export interface Overhead {
  readonly kubeReserved?: ResourceList | undefined;
  readonly systemReserved?: ResourceList | undefined;
  readonly evictionThreshold?: ResourceList | undefined;
}
