import type { SpotPrice } from '@aws-sdk/client-ec2';
import { HOUR } from '../../clock.ts';
import { hashText, Random } from '../../state/random.ts';
import type { Catalogue, Offering } from './catalogue.ts';

/** One spot pool's price from a point in time on. */
interface PriceChange {
  readonly since: number;
  readonly price: number;
}

const SHORTEST_PERIOD = 3 * HOUR;
const LONGEST_PERIOD = 12 * HOUR;
/** A spot price is between a fifth and seven tenths of the on-demand price. */
const CHEAPEST = 0.2;
const DEAREST = 0.7;
/** By how much it moves around the middle of its pool, at most. */
const SWING = 0.1;

/**
 * What spot capacity costs and how much of it there is, by seed and time. Each pool (a type in a zone) keeps its price for
 * some hours and then has another. Nothing is stored: the past is computed like the present.
 */
export class SpotMarket {
  readonly #catalogue: Catalogue;
  readonly #seed: number;

  constructor(catalogue: Catalogue, seed: number) {
    this.#catalogue = catalogue;
    this.#seed = seed;
  }

  /** An hour; undefined for a type that is not sold as spot, or that has no on-demand price. */
  priceAt(instanceType: string, zone: string, time: number): number | undefined {
    return this.#change({ instanceType, zone }, time)?.price;
  }

  /** How much a pool has left: 1 for the deepest, 0 for the shallowest. What the capacity-optimized strategies go by. */
  depthAt(instanceType: string, zone: string, time: number): number {
    const pool = `${instanceType}/${zone}`;
    return this.#chance(`depth/${pool}/${Math.floor(time / SHORTEST_PERIOD)}`);
  }

  /** The prices of a pool from the one in force at the beginning, the newest first. */
  history(offering: Offering, { from, to }: { readonly from: number; readonly to: number }): readonly SpotPrice[] {
    const found: SpotPrice[] = [];
    for (let time = to; ; ) {
      const change = this.#change(offering, time);
      if (change === undefined) return found;
      found.push({
        AvailabilityZone: offering.zone,
        AvailabilityZoneId: this.#catalogue.zoneIdOf(offering.zone),
        InstanceType: offering.instanceType as NonNullable<SpotPrice['InstanceType']>,
        ProductDescription: 'Linux/UNIX',
        SpotPrice: change.price.toFixed(6),
        Timestamp: new Date(change.since),
      });
      if (change.since <= from) return found;
      time = change.since - 1;
    }
  }

  #change({ instanceType, zone }: Pick<Offering, 'instanceType' | 'zone'>, time: number): PriceChange | undefined {
    const onDemand = this.#catalogue.onDemandPrice(instanceType);
    const isSpot = this.#catalogue.find(instanceType)?.SupportedUsageClasses?.includes('spot');
    if (onDemand === undefined || isSpot !== true) return undefined;
    const pool = `${instanceType}/${zone}`;
    const chance = this.#chance(`pool/${pool}`);
    const period = SHORTEST_PERIOD + chance * (LONGEST_PERIOD - SHORTEST_PERIOD);
    const phase = this.#chance(`phase/${pool}`) * period;
    const epoch = Math.floor((time + phase) / period);
    const middle = CHEAPEST + SWING + this.#chance(`middle/${pool}`) * (DEAREST - CHEAPEST - 2 * SWING);
    const swing = (this.#chance(`price/${pool}/${epoch}`) * 2 - 1) * SWING;
    return { since: Math.floor(epoch * period - phase), price: onDemand * (middle + swing) };
  }

  #chance(about: string): number {
    return new Random(hashText(`${this.#seed}/${about}`)).next();
  }
}
