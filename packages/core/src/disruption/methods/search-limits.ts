import { isExtensionOn } from '@karpenter-ts/apis';
import { MINUTE } from '@karpenter-ts/runtime';
import type { OperatorOptions } from '../../options/operator-options.ts';

/** Upstream's. */
const LIMITS = { multi: 1 * MINUTE, single: 3 * MINUTE };

/** How long a search for nodes to consolidate may take, in milliseconds (spec 09 A3). */
export function searchLimit(
  search: keyof typeof LIMITS,
  options: Pick<OperatorOptions, 'extensions' | 'multiNodeConsolidationTimeout' | 'singleNodeConsolidationTimeout'>,
): number {
  if (!isExtensionOn(options.extensions, 'A3')) return LIMITS[search];
  const { multiNodeConsolidationTimeout, singleNodeConsolidationTimeout } = options;
  const limit = search === 'multi' ? multiNodeConsolidationTimeout : singleNodeConsolidationTimeout;
  return limit === 0 ? Number.POSITIVE_INFINITY : limit;
}

/** How many single nodes a pass may consolidate (spec 09 A3). */
export function commandsPerPass({
  consolidationCommandsPerPass,
  extensions,
}: Pick<OperatorOptions, 'extensions' | 'consolidationCommandsPerPass'>): number {
  return isExtensionOn(extensions, 'A3') ? consolidationCommandsPerPass : 1;
}
