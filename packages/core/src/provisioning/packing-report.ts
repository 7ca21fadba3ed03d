import type { Logger } from '@karpenter-ts/runtime';
import { type PackingDecision, type PlanCost, roundPrice } from '@karpenter-ts/scheduling';

/** Tells what was chosen of two plans for the same pods, at what prices and why (spec 09 A1). */
export function reportPacking({ taken, why, upstream, costAware }: PackingDecision, logger: Logger): void {
  if (why === 'Policy' || why === 'NothingToChange') return; // no other plan was asked for, or could be
  const fields = {
    extension: 'A1',
    reason: why,
    ...costFields('upstream-', upstream),
    ...(costAware && costFields('cost-aware-', costAware)),
  };
  if (taken === 'cost-aware') logger.info('computed cheaper nodeclaim(s) than upstream would', fields);
  else logger.debug('computed the nodeclaim(s) upstream would', fields);
}

function costFields(prefix: string, { nodes, pricePerHour, feesPerHour }: PlanCost): Readonly<Record<string, number>> {
  return {
    [`${prefix}nodeclaims`]: nodes,
    [`${prefix}price-per-hour`]: roundPrice(pricePerHour),
    ...(feesPerHour > 0 && { [`${prefix}fees-per-hour`]: roundPrice(feesPerHour) }),
  };
}
