import { combineErrors, type Controller, HOUR, singleton, type SteadyClock } from '@karpenter-ts/runtime';
import type { Prices } from '../pricing/prices.ts';

const ON_DEMAND_INTERVAL = 12 * HOUR; // spec 07 §2.2

/**
 * Spot prices move within hours, and consolidation goes by them. Upstream asks for them as rarely as for on-demand prices
 * (spec 07, weakness 11).
 */
const SPOT_INTERVAL = 1 * HOUR;

/** Clusters that were started together must not ask together for ever. */
const JITTER = 0.2;

export interface PriceRefreshDeps {
  readonly prices: Pick<Prices, 'refreshOnDemand' | 'refreshSpot'>;
  readonly clock: Pick<SteadyClock, 'elapsed'>;
  readonly random: () => number;
}

/** Refreshes prices. One kind that fails is tried again without the other, whose prices are kept. */
export function priceRefresh({ prices, clock, random }: PriceRefreshDeps): Controller {
  const kinds = [
    {
      dueAt: 0,
      refresh: (signal: AbortSignal) => prices.refreshSpot(signal),
      interval: () => SPOT_INTERVAL * (1 + JITTER * (random() - 0.5)),
    },
    {
      dueAt: 0,
      refresh: (signal: AbortSignal) => prices.refreshOnDemand(signal),
      interval: () => ON_DEMAND_INTERVAL,
    },
  ];

  return singleton('providers.pricing', async (signal) => {
    const failures: unknown[] = [];
    const due = kinds.filter(({ dueAt }) => dueAt <= clock.elapsed());
    await Promise.all(
      due.map(async (kind) => {
        try {
          await kind.refresh(signal);
          kind.dueAt = clock.elapsed() + kind.interval();
        } catch (error) {
          failures.push(error);
        }
      }),
    );
    if (failures.length > 0) throw new Error('updating pricing', { cause: combineErrors(failures) });
    return { requeueAfter: Math.max(0, Math.min(...kinds.map(({ dueAt }) => dueAt)) - clock.elapsed()) };
  });
}
