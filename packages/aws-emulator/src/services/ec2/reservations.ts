import type { Tags } from './tags.ts';

/** Capacity that is kept for an account. */
export interface CapacityReservation {
  readonly id: string;
  readonly serial: number;
  readonly ownerId: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly platform: string;
  readonly tenancy: 'default' | 'dedicated';
  readonly matchCriteria: 'open' | 'targeted';
  readonly type: 'default' | 'capacity-block';
  readonly isInterruptible: boolean;
  readonly createdAt: number;
  readonly startsAt: number;
  readonly endsAt: number | undefined;
  readonly tags: Tags;
  /** The ids of the instances in it. */
  readonly instances: Set<string>;
  /** Can be changed: so can reservations. */
  total: number;
  state: 'active' | 'scheduled' | 'expired' | 'cancelled' | 'pending';
}

export function availableIn({ total, instances, state }: CapacityReservation): number {
  return state === 'active' ? Math.max(0, total - instances.size) : 0;
}
