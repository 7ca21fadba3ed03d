import {
  type CancellableClock,
  ChangeMonitor,
  defineGauge,
  durationText,
  errorText,
  type Fields,
  type Logger,
  type Metrics,
  SECOND,
} from '@karpenter-ts/runtime';
import type { Ec2Api, PricingApi } from '../api/aws-apis.ts';
import { listOnDemandPrices } from './on-demand-listing.ts';
import type { PriceSource, PriceTableAge } from './price-source.ts';
import { shippedPrices } from './shipped-prices.ts';
import { listSpotPrices, type SpotPrices } from './spot-listing.ts';

const priceAge = defineGauge(
  'karpenter_ext_price_age_seconds',
  ['capacity_type', 'source'],
  'Time since AWS last named the prices in use. Labeled by capacity type, and by source: shipped with the program, or refreshed.',
);

/** What prices stand on. */
export interface PricesDeps {
  readonly ec2: Pick<Ec2Api, 'describeSpotPriceHistory'>;
  readonly pricing: PricingApi;
  readonly region: string;
  /** The price list has no endpoint in a VPC. */
  readonly isolatedVpc: boolean;
  readonly clock: CancellableClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

type PricedCapacityType = 'on-demand' | 'spot';

/** A refresh failed, and the prices in use stay. Their age is on the log line. */
class PriceRefreshError extends Error {
  override readonly name = 'PriceRefreshError';
  readonly values: Fields;

  constructor(cause: unknown, values: Fields) {
    super(errorText(cause), { cause });
    this.values = values;
  }
}

/**
 * Prices by AWS' last answers, until the first of which the shipped tables count (spec 07 §10). An answer is read whole
 * before it replaces anything, so nobody waits for a refresh. What an answer does not name keeps its last price.
 */
export class Prices implements PriceSource {
  readonly #deps: PricesDeps;
  readonly #changes: ChangeMonitor;
  #onDemand: ReadonlyMap<string, number>;
  /** Undefined until the first refresh: then a spot instance is taken to cost what it costs on demand. */
  #spot: SpotPrices | undefined;
  readonly #shipped: ReadonlyMap<string, number>;
  readonly #ages: Record<PricedCapacityType, PriceTableAge>;
  /** How often the prices of a capacity type have changed. */
  readonly #versions: Record<PricedCapacityType, number> = { 'on-demand': 0, spot: 0 };

  constructor(deps: PricesDeps) {
    const { prices, updatedAt } = shippedPrices(deps.region);
    this.#deps = deps;
    this.#changes = new ChangeMonitor(deps.clock);
    this.#shipped = prices;
    this.#onDemand = prices;
    const age = { isShipped: true, updatedAt };
    this.#ages = { 'on-demand': age, spot: age };
    deps.metrics.expose(priceAge, () => this.#ageSamples());
  }

  get version(): number {
    return this.#versions['on-demand'] + this.#versions.spot;
  }

  onDemand(instanceType: string): number | undefined {
    return this.#onDemand.get(instanceType);
  }

  spot(instanceType: string, zone: string): number | undefined {
    if (this.#spot === undefined) return this.#shipped.get(instanceType);
    return this.#spot.get(instanceType)?.get(zone);
  }

  /** How old the prices are, by capacity type. */
  get ages(): Readonly<Record<PricedCapacityType, PriceTableAge>> {
    return this.#ages;
  }

  /** Asks for on-demand prices, where they can be asked for. Rejects if that fails; the prices then stay. */
  async refreshOnDemand(signal: AbortSignal): Promise<void> {
    const obstacle = this.#obstacle();
    if (obstacle !== undefined) {
      if (this.#changes.hasChanged('on-demand-prices', obstacle)) {
        this.#deps.logger.debug(obstacle, this.#ageFields('on-demand'));
      }
      return;
    }
    const { pricing, region, logger } = this.#deps;
    const answer = await this.#ask('on-demand', listOnDemandPrices({ pricing, region, logger }, signal));
    const { merged, hasChanged } = mergePrices(this.#onDemand, answer);
    this.#onDemand = merged;
    if (hasChanged) this.#versions['on-demand']++;
    this.#report('on-demand', 'updated on-demand pricing', { 'instance-type-count': merged.size });
  }

  /** Asks for spot prices. Rejects if that fails; the prices then stay. */
  async refreshSpot(signal: AbortSignal): Promise<void> {
    const { ec2, clock, logger } = this.#deps;
    const answer = await this.#ask('spot', listSpotPrices({ ec2, now: new Date(clock.now()), logger }, signal));
    const { merged, hasChanged } = mergeSpotPrices(this.#spot, answer);
    this.#spot = merged;
    if (hasChanged) this.#versions.spot++;
    let offerings = 0;
    for (const zones of answer.values()) offerings += zones.size;
    const counts = { 'instance-type-count': merged.size, 'offering-count': offerings };
    this.#report('spot', 'updated spot pricing with instance types and offerings', counts);
  }

  /** Why on-demand prices cannot be asked for, in upstream's words. */
  #obstacle(): string | undefined {
    const { isolatedVpc, region } = this.#deps;
    if (isolatedVpc) return 'running in an isolated VPC, on-demand pricing information will not be updated';
    if (!region.startsWith('us-gov')) return undefined;
    return "pricing APIs aren't available in AWS GovCloud regions, on-demand pricing information will not be updated";
  }

  async #ask<T>(capacityType: PricedCapacityType, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw new PriceRefreshError(error, this.#ageFields(capacityType));
    }
  }

  /** Logs new prices, and those in use once a day. The age is that of the prices that were replaced or confirmed. */
  #report(capacityType: PricedCapacityType, message: string, counts: Fields): void {
    const age = this.#ageFields(capacityType);
    this.#ages[capacityType] = { isShipped: false, updatedAt: this.#deps.clock.now() };
    if (!this.#changes.hasChanged(`${capacityType}-prices`, this.#versions[capacityType])) return;
    this.#deps.logger.debug(message, { ...counts, ...age });
  }

  #ageFields(capacityType: PricedCapacityType): Fields {
    const { isShipped, updatedAt } = this.#ages[capacityType];
    return {
      'previous-price-age': durationText(Math.max(0, this.#deps.clock.now() - updatedAt)),
      'previous-price-source': isShipped ? 'shipped' : 'refreshed',
    };
  }

  *#ageSamples() {
    for (const [capacity_type, { isShipped, updatedAt }] of Object.entries(this.#ages)) {
      const value = Math.max(0, this.#deps.clock.now() - updatedAt) / SECOND;
      yield { labels: { capacity_type, source: isShipped ? 'shipped' : 'refreshed' }, value };
    }
  }
}

function mergePrices<K>(
  old: ReadonlyMap<K, number>,
  answer: ReadonlyMap<K, number>,
): { readonly merged: ReadonlyMap<K, number>; readonly hasChanged: boolean } {
  let hasChanged = false;
  for (const [key, price] of answer) hasChanged ||= old.get(key) !== price;
  return { merged: hasChanged ? new Map([...old, ...answer]) : old, hasChanged };
}

function mergeSpotPrices(
  old: SpotPrices | undefined,
  answer: SpotPrices,
): { readonly merged: SpotPrices; readonly hasChanged: boolean } {
  let hasChanged = old === undefined; // what the answer does not name costs nothing known from now on
  const merged = new Map(old);
  for (const [instanceType, zones] of answer) {
    const known = merged.get(instanceType) ?? new Map<string, number>();
    const result = mergePrices(known, zones);
    if (!result.hasChanged) continue;
    merged.set(instanceType, result.merged);
    hasChanged = true;
  }
  return { merged: hasChanged || old === undefined ? merged : old, hasChanged };
}
