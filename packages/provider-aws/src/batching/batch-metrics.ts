import { defineHistogram, DURATION_BUCKETS } from '@karpenter-ts/runtime';

/** How many callers shared a call. */
const SIZES = [
  1, 2, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100, 125, 150, 175, 200, 225, 250, 275, 300, 350, 400, 450,
  500, 550, 600, 700, 800, 900, 1000,
] as const;

export const batchTime = defineHistogram(
  'karpenter_cloudprovider_batcher_batch_time_seconds',
  ['batcher'],
  'Duration of the batching window per batcher',
  DURATION_BUCKETS,
);

export const batchSize = defineHistogram(
  'karpenter_cloudprovider_batcher_batch_size',
  ['batcher'],
  'Size of the request batch per batcher',
  SIZES,
);
