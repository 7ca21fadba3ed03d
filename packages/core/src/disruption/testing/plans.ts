// Plans for tests that do not ask the planner.
import { NO_AMOUNTS } from '@karpenter-ts/kubernetes';
import type { Plan, PlannedNode } from '@karpenter-ts/scheduling';

/** A plan that places nothing. */
export const NO_PLAN: Plan = {
  newNodes: [],
  existingNodes: [],
  unschedulable: [],
  undecided: [],
  unusablePools: [],
  pricePerHour: 0,
};

/** A node of the pool `default` that may be of these types. */
export function plannedNode(instanceTypes: readonly string[], pricePerHour = 1): PlannedNode {
  return {
    placeholder: 'new',
    nodePool: 'default',
    pods: [],
    instanceTypes,
    lastResorts: 0,
    capacityTypes: ['on-demand'],
    requirements: new Map(),
    requests: NO_AMOUNTS,
    pricePerHour,
    reservations: [],
    minValuesRelaxed: false,
    source: 'upstream',
  };
}
