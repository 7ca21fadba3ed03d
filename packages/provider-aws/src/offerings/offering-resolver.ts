import { AWS_LABELS, CAPACITY_TYPE_LABEL, type RequirementSpec, ZONE_LABEL } from '@karpenter-ts/apis';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { Offering } from '@karpenter-ts/scheduling';
import type { RequirementPool } from '../instance-types/requirement-pool.ts';
import type { NodeClassSettings } from './node-class-settings.ts';

/** A type that offerings are to be made for. */
export interface OfferedType {
  readonly name: string;
  readonly info: InstanceTypeInfo;
  /** Whether it can be launched with the settings at all. */
  readonly isCompatible: boolean;
  /** Whether EC2 offers the type in a zone, and the NodeClass has a subnet there. */
  isUsableIn(zone: string): boolean;
}

/** What all types of one list have in common. */
export interface OfferingContext {
  readonly settings: NodeClassSettings;
  /** All zones that EC2 offers anything in. */
  readonly zones: ReadonlySet<string>;
  /** Equal requirements of offerings are one list. */
  readonly requirements: OfferingRequirements;
}

/**
 * Makes, adds or replaces offerings of types (spec 07 §8). Resolvers work one after the other, each on what the one before
 * has made.
 */
export interface OfferingResolver {
  /** Rises whenever what it makes of some type may have changed, for any settings. */
  readonly version: number;
  /** Rises whenever what it makes of this type may have changed. It may be asked for less often than it rises. */
  versionOf(instanceType: string, settings: NodeClassSettings): number;
  resolve(type: OfferedType, offerings: readonly Offering[], context: OfferingContext): readonly Offering[];
}

/** The requirements of offerings. There are few distinct ones among thousands of offerings, so they are shared. */
export class OfferingRequirements {
  readonly #pool: RequirementPool;
  readonly #known = new Map<string, readonly RequirementSpec[]>();
  readonly #extended = new Map<readonly RequirementSpec[], Map<string, readonly RequirementSpec[]>>();

  constructor(pool: RequirementPool) {
    this.#pool = pool;
  }

  /** Bought in a zone, from no reservation. */
  placed(capacityType: string, zone: string, settings: NodeClassSettings): readonly RequirementSpec[] {
    return this.#share(`${capacityType} ${zone}`, () => [
      this.#pool.oneOf(CAPACITY_TYPE_LABEL, capacityType),
      this.#pool.oneOf(ZONE_LABEL, zone),
      this.#pool.absent(AWS_LABELS.capacityReservationId),
      this.#pool.absent(AWS_LABELS.capacityReservationType),
      this.#pool.absent(AWS_LABELS.capacityReservationInterruptible),
      ...this.#zoneId(zone, settings),
    ]);
  }

  /** Taken from a reservation. */
  reserved(reservation: ReservationLabels, settings: NodeClassSettings): readonly RequirementSpec[] {
    const { id, availabilityZone: zone, reservationType, interruptible } = reservation;
    return this.#share(`reserved ${zone} ${id} ${reservationType} ${interruptible === true}`, () => [
      this.#pool.oneOf(CAPACITY_TYPE_LABEL, 'reserved'),
      this.#pool.oneOf(ZONE_LABEL, zone),
      this.#pool.oneOf(AWS_LABELS.capacityReservationId, id),
      this.#pool.oneOf(AWS_LABELS.capacityReservationType, reservationType),
      this.#pool.oneOf(AWS_LABELS.capacityReservationInterruptible, String(interruptible === true)),
      ...this.#zoneId(zone, settings),
    ]);
  }

  /** The same, in one partition of a placement group. */
  inPartition(requirements: readonly RequirementSpec[], partition: string): readonly RequirementSpec[] {
    const known = this.#extended.get(requirements) ?? new Map<string, readonly RequirementSpec[]>();
    this.#extended.set(requirements, known);
    const extended = known.get(partition) ?? [
      ...requirements,
      this.#pool.oneOf(AWS_LABELS.placementGroupPartition, partition),
    ];
    known.set(partition, extended);
    return extended;
  }

  #zoneId(zone: string, { subnetZones }: NodeClassSettings): readonly RequirementSpec[] {
    const id = subnetZones.get(zone)?.id;
    return id ? [this.#pool.oneOf(AWS_LABELS.zoneId, id)] : [];
  }

  #share(text: string, make: () => readonly RequirementSpec[]): readonly RequirementSpec[] {
    let requirements = this.#known.get(text);
    if (requirements === undefined) {
      requirements = make();
      this.#known.set(text, requirements);
    }
    return requirements;
  }
}

interface ReservationLabels {
  readonly id: string;
  readonly availabilityZone: string;
  readonly reservationType: string;
  readonly interruptible?: boolean | undefined;
}
