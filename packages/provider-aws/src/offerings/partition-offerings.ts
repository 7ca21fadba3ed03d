import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Offering } from '@karpenter-ts/scheduling';
import type { NodeClassSettings } from './node-class-settings.ts';
import type { OfferedType, OfferingContext, OfferingResolver } from './offering-resolver.ts';
import type { UnavailableOfferings } from './unavailable-offerings.ts';

/**
 * In a placement group with partitions, an offering for each partition (spec 07 §8.3). What EC2 had no capacity for in one
 * partition is not available there; upstream marks it and does not look (weakness 3).
 */
export class PartitionOfferings implements OfferingResolver {
  readonly #unavailable: UnavailableOfferings;

  constructor({ unavailable }: { readonly unavailable: UnavailableOfferings }) {
    this.#unavailable = unavailable;
  }

  get version(): number {
    return this.#unavailable.version;
  }

  versionOf(instanceType: string, settings: NodeClassSettings): number {
    return partitionsOf(settings).length === 0 ? 0 : this.#unavailable.sequence(instanceType);
  }

  resolve(type: OfferedType, offerings: readonly Offering[], context: OfferingContext): readonly Offering[] {
    const { settings, requirements } = context;
    const partitions = partitionsOf(settings);
    if (partitions.length === 0) return offerings;
    return offerings.flatMap((offering) =>
      partitions.map(
        (partition): Offering => ({
          ...offering,
          requirements: requirements.inPartition(offering.requirements, partition),
          available: offering.available && !this.#isMarked(type.name, offering, partition, settings),
        }),
      ),
    );
  }

  /** Marks do not concern reservations, which are counted. */
  #isMarked(instanceType: string, offering: Offering, partition: string, settings: NodeClassSettings): boolean {
    if (offering.reservation !== undefined) return false;
    const [zone, capacityType] = [ZONE_LABEL, CAPACITY_TYPE_LABEL].map(
      (label) => offering.requirements.find(({ key }) => key === label)?.values?.[0] ?? '',
    ) as [string, string];
    const pool = { instanceType, zone, capacityType, placementGroupId: settings.placementGroup!.id, partition };
    return this.#unavailable.isUnavailable(pool, []);
  }
}

/** The partitions of the group, by the values of their label; none for groups of another strategy. */
export function partitionsOf({ placementGroup }: NodeClassSettings): readonly string[] {
  const { strategy, partitionCount = 0 } = placementGroup ?? {};
  if (strategy !== 'partition' || partitionCount <= 0) return [];
  return Array.from({ length: partitionCount }, (_, index) => String(index + 1));
}
