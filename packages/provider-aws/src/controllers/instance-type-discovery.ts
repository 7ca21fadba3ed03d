import { combineErrors, type Controller, HOUR, singleton } from '@karpenter-ts/runtime';
import type { DiscoveredTypes } from '../instance-types/discovered-types.ts';

const INTERVAL = 12 * HOUR; // spec 07 §2.2

/** Asks EC2 twice a day which types it has, and where. */
export function instanceTypeDiscovery(
  discovered: Pick<DiscoveredTypes, 'refreshTypes' | 'refreshOfferings'>,
): Controller {
  return singleton('providers.instancetype', async (signal) => {
    const refreshes = [discovered.refreshTypes(signal), discovered.refreshOfferings(signal)];
    const results = await Promise.allSettled(refreshes);
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    if (failures.length > 0) throw new Error('updating instancetype', { cause: combineErrors(failures) });
    return { requeueAfter: INTERVAL };
  });
}
