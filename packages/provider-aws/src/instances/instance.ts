/** An instance of EC2, as far as Karpenter cares (spec 07 §17). */
export interface Instance {
  readonly id: string;
  readonly launchTime: Date;
  /** `pending`, `running`, `stopping`, `stopped`, `shutting-down` or `terminated`. */
  readonly state: string;
  readonly imageId: string;
  readonly type: string;
  readonly zone: string;
  /** Empty where EC2 did not tell it. */
  readonly zoneId: string;
  readonly capacityType: 'on-demand' | 'spot' | 'reserved';
  readonly securityGroupIds: readonly string[];
  readonly subnetId: string;
  readonly tags: Readonly<Record<string, string>>;
  /** How many network interfaces are for EFA. */
  readonly efaCount: number;
  /** The reservation that a reserved instance draws on. */
  readonly reservation?: InstanceReservation | undefined;
  readonly tenancy: string;
  /** The partition of its placement group. */
  readonly partition?: number | undefined;
}

export interface InstanceReservation {
  readonly id: string;
  readonly type: 'default' | 'capacity-block';
  readonly interruptible: boolean;
}
