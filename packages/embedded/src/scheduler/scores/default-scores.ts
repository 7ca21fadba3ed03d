import { preferredNodes, softTaints } from './node-preference.ts';
import { preferredPods } from './pod-affinity.ts';
import { balancedAllocation, leastAllocated } from './resources.ts';
import type { Score } from './score.ts';
import { softSpread } from './topology-spread.ts';

export const DEFAULT_SCORES: readonly Score[] = [
  softTaints,
  preferredNodes,
  leastAllocated,
  balancedAllocation,
  softSpread,
  preferredPods,
];
