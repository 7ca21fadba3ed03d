// For those who plan, or explain a plan. What is not here is private; checks and workloads for tests are in ./testing.
export { describeNode, type Machine, type Node } from './cluster/existing-node.ts';
export {
  cheaperTypes,
  findNearestMiss,
  type Shortfall,
  shortfallOf,
  type TypeQuestion,
} from './explanation/nearest-miss.ts';
export { renderFailure, renderRefusal, renderRelaxation } from './explanation/render.ts';
export {
  awaitsReservation,
  type Failure,
  type FilterVerdict,
  type InstanceTypeRefusal,
  type PoolRefusal,
  type Refusal,
  type TopologyRefusal,
} from './explanation/reason.ts';
export { Catalogues } from './instance-types/catalogue.ts';
export type { InstanceType, Overhead } from './instance-types/instance-type.ts';
export { adjustPrice, compatibleOfferings, worstLaunchPrice } from './instance-types/launch-price.ts';
export type { Offering, Reservation } from './instance-types/offering.ts';
export { type DaemonSet, daemonPodOf } from './objects/daemon-set.ts';
export { type Pod, podId, podName } from './objects/pod.ts';
export type { PersistentVolume, PersistentVolumeClaim, StorageClass } from './objects/volume.ts';
export { applyChange, type Change } from './overlay.ts';
export type {
  NodePlacement,
  PlacedPod,
  Plan,
  PlannedNode,
  Relaxation,
  UnschedulablePod,
  UnusablePool,
} from './plan.ts';
export { type Base, planSnapshot, readBase } from './planner.ts';
export { finish, type PlanRun, type Progress, type Reading } from './progress.ts';
export { findAnyValue } from './requirements/any-value.ts';
export type { Amounts } from './resources/amounts.ts';
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

// Fleet files
export { type FleetProblem, type ReadFleet, readFleet } from './fleet/fleet-file.ts';
export type { Fleet } from './fleet/fleet-snapshot.ts';
export { type PlanFile, type PlanFileNode, toPlanFile } from './fleet/plan-file.ts';
