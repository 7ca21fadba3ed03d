// For those who plan, or explain a plan. What is not here is private; checks and workloads for tests are in ./testing.
export { findUntolerated } from './checks/taints.ts';
export type { HostPort } from './checks/host-ports.ts';
export { driverOf } from './checks/volume-limits.ts';
export type { Backing } from './checks/volume-objects.ts';
export { describeNode, type Machine } from './cluster/existing-node.ts';
export { type PackingOptions, packingOptions, type PackingSettings } from './cost/packing-options.ts';
export { adviceOn, describeShortfall } from './explanation/advice.ts';
export { Explainer, type NodeExplanation, type PoolExplanation } from './explanation/explainer.ts';
export { renderFailure, renderRefusal, renderRelaxation, renderShortage } from './explanation/render.ts';
export {
  awaitsReservation,
  type Failure,
  type InstanceTypeRefusal,
  type PoolRefusal,
  type Refusal,
  type ReservationRefusal,
  type TopologyRefusal,
  type TypeTally,
} from './explanation/reason.ts';
export type { Shortfall } from './explanation/shortfall.ts';
export { allocatableResources, canHold } from './instance-types/allocatable.ts';
export { Catalogues } from './instance-types/catalogues.ts';
export type { InstanceType, Overhead } from './instance-types/instance-type.ts';
export { adjustPrice, compatibleOfferings, worstLaunchPrice } from './instance-types/launch-price.ts';
export type { Offering, Reservation } from './instance-types/offering.ts';
export { daemonPodOf } from './objects/daemon-set.ts';
export { podId, podName } from './objects/pod.ts';
export { applyChange, type Change } from './overlay.ts';
export {
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
} from './plan.ts';
export { type Base, planSnapshot, readBase } from './planner.ts';
export { finish, type PlanRun, type Progress, type Reading } from './progress.ts';
export { findAnyValue } from './requirements/any-value.ts';
export type { ValueShortage } from './requirements/min-values.ts';
export { addAmounts, AmountReader, type Amounts, NO_AMOUNTS, subtractAmounts } from './resources/amounts.ts';
export { podLimits, podRequests } from './resources/pod-requests.ts';
export {
  DEFAULT_PLANNING,
  EMPTY_SNAPSHOT,
  type ExistingNode,
  type Namespace,
  type NodeFacts,
  type PlanningOptions,
  type Pool,
  type Snapshot,
  type Volumes,
} from './snapshot.ts';
export { type DefaultConstraint, withDefaultSpread, type Workloads } from './topology/default-spread.ts';
