import { KWOK_NODE_LABELS } from '@karpenter-ts/apis';
import type { Cloud } from './cloud.ts';

/** Simulated instances of EC2's types and prices: their Nodes are all there is of them. */
export const KWOK_CLOUD: Cloud = {
  adopt: () => undefined,
  provider: async () => {
    const { kwokModule } = await import('@karpenter-ts/provider-kwok');
    return kwokModule.configure({ catalogue: 'ec2', instanceTypesFilePath: '' });
  },
  priceOf: (labels) => Number(labels[KWOK_NODE_LABELS.instancePrice] ?? 0),
  stop: () => Promise.resolve(),
};
