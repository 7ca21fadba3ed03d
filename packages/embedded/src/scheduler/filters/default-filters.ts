import type { Filter } from './filter.ts';
import { hostPorts } from './host-ports.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeUnschedulable } from './node-unschedulable.ts';
import { podAffinity } from './pod-affinity.ts';
import { resources } from './resources.ts';
import { taintToleration } from './taints.ts';
import { topologySpread } from './topology-spread.ts';
import { volumeBinding } from './volume-binding.ts';
import { volumeLimits } from './volume-limits.ts';
import { volumeRestrictions } from './volume-restrictions.ts';
import { volumeZone } from './volume-zone.ts';

/**
 * In kube-scheduler's order. Messages depend on it, because for each node only the first failing filter is reported.
 */
export const DEFAULT_FILTERS: readonly Filter[] = [
  nodeUnschedulable,
  taintToleration,
  nodeAffinity,
  hostPorts,
  resources,
  volumeRestrictions,
  volumeLimits,
  volumeBinding,
  volumeZone,
  topologySpread,
  podAffinity,
];
