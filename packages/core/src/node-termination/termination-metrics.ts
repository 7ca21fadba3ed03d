import {
  defineCounter,
  defineHistogram,
  defineSummary,
  HOUR,
  MINUTE,
  SECOND,
  SUMMARY_QUANTILES,
} from '@karpenter-ts/runtime';

export const evictionRequests = defineCounter(
  'karpenter_pods_eviction_requests_total',
  ['code'],
  'The total number of pod eviction requests made by Karpenter, labeled by response code',
);

export const podsDrained = defineCounter(
  'karpenter_pods_drained_total',
  ['reason'],
  'The total number of pods drained during node termination by Karpenter, labeled by reason',
);

export const nodesDrained = defineCounter(
  'karpenter_nodes_drained_total',
  ['nodepool'],
  'The total number of nodes drained by Karpenter',
);

export const nodesTerminated = defineCounter(
  'karpenter_nodes_terminated_total',
  ['nodepool', 'zone'],
  'Number of nodes terminated in total by Karpenter. Labeled by owning nodepool and zone.',
);

export const terminationSeconds = defineSummary(
  'karpenter_nodes_termination_duration_seconds',
  ['nodepool'],
  "The time taken between a node's deletion request and the removal of its finalizer",
  SUMMARY_QUANTILES,
);

const DAY = 24 * HOUR;
const LIFETIMES = [
  ...[15, 30, 45].map((minutes) => minutes * MINUTE),
  ...[1, 2, 4, 6, 8, 10, 12, 16, 20].map((hours) => hours * HOUR),
  ...[1, 2, 3, 5, 10, 15, 20, 25, 30].map((days) => days * DAY),
];

export const lifetimeSeconds = defineHistogram(
  'karpenter_nodes_lifetime_duration_seconds',
  ['nodepool'],
  'The lifetime duration of the nodes since creation.',
  LIFETIMES.map((milliseconds) => milliseconds / SECOND),
);
