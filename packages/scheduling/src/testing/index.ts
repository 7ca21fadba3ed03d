// Workloads and a judge for whoever tests or measures the planner.
export { makeNode, makeOffering, makePod, makePool, makeType } from './builders.ts';
export { checkPlan, RULE_NAMES, type RuleName, type Violation } from './checker/check-plan.ts';
export { consolidationCluster } from './consolidation-cluster.ts';
export { DEFAULT_TYPES, FAKE_PROFILE, fakeType, ladder, RESERVATION_LABEL, reserved } from './fake-types.ts';
export { type Launch, launchesOf } from './launch.ts';
export { type Placement, placementsInOrder } from './placement-order.ts';
export { type RandomFleet, randomFleet } from './random-fleet/fleet.ts';
export type { FleetTraits } from './random-fleet/traits.ts';
export {
  diversePods,
  preferencePods,
  REFERENCE_POOL,
  REFERENCE_PROFILE,
  referenceCatalogue,
  referenceSnapshot,
} from './reference-mix.ts';
export { CHEAPEST, DEFAULT_PACKING } from './packing.ts';
export { placedPods } from './plan-outline.ts';
export { TestEnvironment } from './test-environment.ts';
