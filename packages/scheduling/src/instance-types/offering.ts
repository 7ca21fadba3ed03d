import type { RequirementSpec } from '@karpenter-ts/apis';
import type { ResourceList } from '@karpenter-ts/kubernetes';
import type { Overhead } from './instance-type.ts';

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
export interface Reservation {
  readonly id: string;
  readonly capacity: number;
}
