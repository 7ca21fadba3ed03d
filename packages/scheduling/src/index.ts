// For those who plan, or explain a plan. What is not here is private; checks and workloads for tests are in ./testing.
// Planning
export { applyChange, type Change } from './what-if.ts';
export { type PlanningBase, planSnapshot, readPlanningBase } from './planner.ts';
export { finish, type PlanRun, type Progress, type Reading } from './progress.ts';

// What planning reads
export { driverOf } from './checks/volume-limits.ts';
export { packingOptions, type PackingSettings } from './cost/packing-options.ts';
export { allocatableResources, canHold } from './model/instance-types/allocatable.ts';
export { Catalogues } from './model/instance-types/catalogues.ts';
export { adjustPrice, compatibleOfferings, worstLaunchPrice } from './model/instance-types/launch-price.ts';
export { LaunchPriceIndexes, type PricesUnder } from './model/instance-types/launch-prices.ts';
export { describeNode, type NodeParts } from './model/nodes/existing-node.ts';
export { daemonPodOf } from './model/pods/daemon-set.ts';
export { podId, podName } from './model/pods/pod-id.ts';
export { findUntolerated } from './model/pods/taints.ts';
export type { Backing } from './model/pods/volume-objects.ts';
export { findAnyValue } from './model/requirements/any-value.ts';
export { podLimits, podRequests } from './model/resources/pod-requests.ts';
export {
  DEFAULT_PLANNING,
  EMPTY_SNAPSHOT,
  type ExistingNode,
  type InstanceType,
  type Namespace,
  type NodeFacts,
  type Offering,
  type Overhead,
  type PackingOptions,
  type PlanningOptions,
  type Pool,
  type Snapshot,
  type Volumes,
} from './snapshot.ts';
export { type DefaultConstraint, withDefaultSpread, type Workloads } from './topology/default-spread.ts';

// What it decides, and why
export {
  launchChoices,
  type NodePlacement,
  type PackingDecision,
  type PackingReason,
  type PlacedPod,
  type Plan,
  type PlanCost,
  type PlannedNode,
  type PlanSource,
  type Relaxation,
  roundPrice,
  type UnschedulablePod,
  type UnusablePool,
  type ValueShortage,
} from './plan.ts';
export {
  awaitsReservation,
  type Failure,
  type InstanceTypeRefusal,
  type PoolRefusal,
  type Refusal,
  type ReservationRefusal,
  type TopologyRefusal,
  type TypeTally,
} from './failure.ts';
export { adviceOn, describeShortfall } from './explanation/advice.ts';
export { Explainer, type NodeExplanation, type PoolExplanation } from './explanation/explainer.ts';
export { renderFailure, renderRefusal, renderRelaxation, renderShortage } from './explanation/render.ts';
export type { Shortfall } from './explanation/shortfall.ts';
