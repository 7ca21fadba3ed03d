import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Ec2Levers } from '@karpenter-ts/aws-emulator';
import { type Clock, HOUR } from '@karpenter-ts/runtime';
import type { PriceOf } from '../observer/price-list.ts';

/** A spot price holds for longer than that, and an operator that cannot ask for prices goes by those of hours ago. */
const STEP = 1 * HOUR;
const STEPS = 5;

/** What instances cost on EC2: for spot ones, any price of the last hours. */
export function awsPrices(ec2: Ec2Levers, clock: Clock): PriceOf {
  return ({ metadata: { labels = {} } }) => {
    const type = labels[INSTANCE_TYPE_LABEL] ?? '';
    if (labels[CAPACITY_TYPE_LABEL] !== 'spot') {
      const price = ec2.onDemandPrice(type);
      return price === undefined ? undefined : { least: price, most: price };
    }
    const instants = Array.from({ length: STEPS }, (_, index) => clock.now() - index * STEP);
    const prices = instants.flatMap((at) => ec2.spotPrice(type, labels[ZONE_LABEL] ?? '', at) ?? []);
    return prices.length === 0 ? undefined : { least: Math.min(...prices), most: Math.max(...prices) };
  };
}
