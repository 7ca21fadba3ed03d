// Workloads and a judge for whoever tests or measures the planner.
export { makeNode, makeOffering, makePod, makePool, makeType } from './builders.ts';
export { checkPlan, RULE_NAMES, type RuleName, type Violation } from './checker/check-plan.ts';
export { consolidationCluster } from './consolidation-cluster.ts';
export { type FleetTraits, type RandomFleet, randomFleet } from './random-fleet.ts';
export { type Random, seededRandom } from './random.ts';
export {
  diversePods,
  preferencePods,
  REFERENCE_POOL,
  REFERENCE_PROFILE,
  referenceCatalogue,
  referenceSnapshot,
} from './reference-mix.ts';
