import type { Offering } from '@karpenter-ts/scheduling';
import { soldAs } from '../instance-types/type-labels.ts';
import type { PriceSource } from '../pricing/price-source.ts';
import type { ZonalShiftSource } from '../zonal-shift/zonal-shift-source.ts';
import type { NodeClassSettings } from './node-class-settings.ts';
import type { OfferedType, OfferingContext, OfferingResolver } from './offering-resolver.ts';
import type { OverlayPriceSource } from './overlay-prices.ts';
import type { UnavailableOfferings } from './unavailable-offerings.ts';

export interface BaseOfferingsDeps {
  readonly prices: PriceSource;
  readonly overlayPrices: OverlayPriceSource;
  readonly unavailable: UnavailableOfferings;
  readonly zonalShift: ZonalShiftSource;
}

/**
 * One offering for each zone of EC2 and each capacity type, but reservations (spec 07 §8.1). Zones that the NodeClass
 * cannot use are among them, not available, so that metrics and messages are complete.
 */
export class BaseOfferings implements OfferingResolver {
  readonly #deps: BaseOfferingsDeps;

  constructor(deps: BaseOfferingsDeps) {
    this.#deps = deps;
  }

  get version(): number {
    return this.#commonVersion + this.#deps.unavailable.version;
  }

  versionOf(instanceType: string): number {
    return this.#commonVersion + this.#deps.unavailable.sequence(instanceType);
  }

  resolve(type: OfferedType, offerings: readonly Offering[], context: OfferingContext): readonly Offering[] {
    const made = [...offerings];
    const capacityTypes = soldAs(type.info);
    for (const zone of context.zones) {
      const isOpen = type.isCompatible && type.isUsableIn(zone) && !this.#isShifted(zone, context.settings);
      for (const capacityType of capacityTypes) {
        const price = this.#price(type.name, zone, capacityType);
        made.push({
          requirements: context.requirements.placed(capacityType, zone, context.settings),
          pricePerHour: price ?? 0,
          available: isOpen && price !== undefined && !this.#isMarked(type.name, zone, capacityType, context.settings),
        });
      }
    }
    return made;
  }

  get #commonVersion(): number {
    const { prices, overlayPrices, zonalShift } = this.#deps;
    return prices.version + overlayPrices.version + zonalShift.version;
  }

  #price(instanceType: string, zone: string, capacityType: 'on-demand' | 'spot'): number | undefined {
    const { prices, overlayPrices } = this.#deps;
    const price = capacityType === 'spot' ? prices.spot(instanceType, zone) : prices.onDemand(instanceType);
    return price ?? overlayPrices.find(instanceType);
  }

  #isShifted(zone: string, { subnetZones }: NodeClassSettings): boolean {
    return isShifted(zone, subnetZones, this.#deps.zonalShift);
  }

  /** A mark made without a placement group concerns launches into it as well. */
  #isMarked(instanceType: string, zone: string, capacityType: string, settings: NodeClassSettings): boolean {
    const { unavailable } = this.#deps;
    const subnets = settings.subnetZones.get(zone)?.subnetIds ?? [];
    const pool = { instanceType, zone, capacityType };
    if (unavailable.isUnavailable(pool, subnets)) return true;
    const placementGroupId = settings.placementGroup?.id;
    return placementGroupId !== undefined && unavailable.isUnavailable({ ...pool, placementGroupId }, subnets);
  }
}

/** Zones without a subnet of the NodeClass have no id by which to ask. */
export function isShifted(
  zone: string,
  subnetZones: NodeClassSettings['subnetZones'],
  zonalShift: ZonalShiftSource,
): boolean {
  const id = subnetZones.get(zone)?.id;
  return id !== undefined && id !== '' && zonalShift.isShifted(id);
}
