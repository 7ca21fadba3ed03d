import { defineGauge } from '@karpenter-ts/runtime';

// Metrics that upstream does not have (spec 09).

export const windowOpen = defineGauge(
  'karpenter_ext_window_open',
  ['nodepool', 'reason'],
  'Whether the disruption windows of a nodepool permit disruption for a reason now. Labeled by nodepool and reason.',
);
