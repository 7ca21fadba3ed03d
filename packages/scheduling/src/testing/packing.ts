import type { PackingOptions } from '../snapshot.ts';
import { packingOptions } from '../cost/packing-options.ts';

/** What the controller's defaults ask for. */
export const DEFAULT_PACKING: PackingOptions = packingOptions({
  extensions: 'all',
  packingPolicy: 'CostAware',
  packingMinGain: 0.05,
  packingMaxExtraNodes: 1,
  nodeFee: 0,
});

/** Whatever is cheaper, of any number of nodes. */
export const CHEAPEST: PackingOptions = {
  ...DEFAULT_PACKING,
  minGain: 0,
  maxExtraNodes: Number.POSITIVE_INFINITY,
};
