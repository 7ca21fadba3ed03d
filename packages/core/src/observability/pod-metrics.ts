import {
  DURATION_BUCKETS,
  defineGauge,
  defineHistogram,
  defineSummary,
  type GaugeDefinition,
  type HistogramDefinition,
  SUMMARY_QUANTILES,
} from '@karpenter-ts/runtime';

export const podState = defineGauge(
  'karpenter_pods_state',
  [
    'name',
    'namespace',
    'owner',
    'node',
    'scheduled',
    'nodepool',
    'zone',
    'arch',
    'capacity_type',
    'instance_type',
    'phase',
    'ready',
    'managed',
  ],
  'Pod state is the current state of pods. This metric can be used several ways as it is labeled by the pod name, ' +
    'namespace, owner, node, nodepool name, zone, architecture, capacity type, instance type, pod phase, and pod readiness.',
);

const UNTIL_RUNNING = 'The time from pod creation until the pod is running.';
const UNTIL_BOUND = 'The time from pod creation until the pod is bound.';
const FROM_MEMORY = 'Note: this calculated from a point in memory, not by the pod creation timestamp.';
const PLACEABLE_UNTIL_BOUND = `The time from when Karpenter first thinks the pod can schedule until it binds. ${FROM_MEMORY}`;
const PLACEABLE_UNTIL_RUNNING = `The time from when Karpenter first thinks the pod can schedule until the pod is running. ${FROM_MEMORY}`;

export const startupSeconds = defineSummary(
  'karpenter_pods_startup_duration_seconds',
  [],
  UNTIL_RUNNING,
  SUMMARY_QUANTILES,
);
export const boundSeconds = duration('karpenter_pods_bound_duration_seconds', UNTIL_BOUND);
export const provisioningStartupSeconds = duration(
  'karpenter_pods_provisioning_startup_duration_seconds',
  PLACEABLE_UNTIL_RUNNING,
);
export const provisioningBoundSeconds = duration(
  'karpenter_pods_provisioning_bound_duration_seconds',
  PLACEABLE_UNTIL_BOUND,
);

export const unstartedSeconds = wait('karpenter_pods_unstarted_time_seconds', UNTIL_RUNNING);
export const unboundSeconds = wait('karpenter_pods_unbound_time_seconds', UNTIL_BOUND);
export const provisioningUnstartedSeconds = wait(
  'karpenter_pods_provisioning_unstarted_time_seconds',
  PLACEABLE_UNTIL_RUNNING,
);
export const provisioningUnboundSeconds = wait(
  'karpenter_pods_provisioning_unbound_time_seconds',
  PLACEABLE_UNTIL_BOUND,
);
export const undecidedSeconds = wait(
  'karpenter_pods_provisioning_scheduling_undecided_time_seconds',
  `The time from when Karpenter has seen a pod without making a scheduling decision for the pod. ${FROM_MEMORY}`,
);

/** How long something took. */
function duration(name: string, help: string): HistogramDefinition<never> {
  return defineHistogram(name, [], help, DURATION_BUCKETS);
}

/** How long a pod has been waiting for something. */
function wait(name: string, help: string): GaugeDefinition<'name' | 'namespace'> {
  return defineGauge(name, ['name', 'namespace'], help);
}
