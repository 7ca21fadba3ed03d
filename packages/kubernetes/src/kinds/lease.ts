import type { ApiObject } from '../objects/resource-type.ts';

/** A coordination.k8s.io/v1 Lease. */
export interface Lease extends ApiObject {
  readonly spec?: LeaseSpec | undefined;
}

export interface LeaseSpec {
  /** Empty once released. */
  readonly holderIdentity?: string | undefined;
  readonly leaseDurationSeconds?: number | undefined;
  /** For people to read: nobody compares it with a clock of their own. */
  readonly acquireTime?: string | undefined;
  readonly renewTime?: string | undefined;
  /** How often the lease has changed hands. */
  readonly leaseTransitions?: number | undefined;
}
