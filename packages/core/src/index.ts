// The cluster model, the controllers, and the process made of them. What is not here is private.
export { type CacheDeps, type Caches, createCaches, type InformerCaches, listCaches } from './state/caches.ts';
export type { ControllerDeps } from './state/controller-deps.ts';
export { createOperator, type Operator, type OperatorSettings } from './operator/operator.ts';
export { refuseUnbuiltSettings } from './operator/unbuilt-settings.ts';
export { coreOptions } from './options/core-options.ts';
export { type ExtensionOptions, extensionOptions } from './options/extension-options.ts';
export { operatorOptions } from './options/operator-options.ts';
// What a pass of disruption is made of, for those who run it without a controller: plans of a file, benches.
export { BudgetCounter, countNodes, findAllowances } from './disruption/budget-allowances.ts';
export { CandidateFinder } from './disruption/candidate-filters.ts';
export type { Candidate } from './disruption/candidate.ts';
export { type ConsolidationContext, findOption } from './disruption/consolidation-option.ts';
export type { DisruptionState } from './disruption/disruption-state.ts';
export { findConsolidationObstacle, selectEligible } from './disruption/eligibility.ts';
export { findMultiNode } from './disruption/multi-node.ts';
export { PlanningSimulators } from './disruption/planning-simulator.ts';
export { DisruptionStateReader } from './disruption/read-state.ts';
export { SingleNodeWalk } from './disruption/single-node.ts';
export { PlannerDriver } from './planning/planner-driver.ts';
export { planningOptions } from './planning/planning-options.ts';
export { PodDisruptionBudgets } from './pods/disruption-budgets.ts';
export { NODE_CLAIM_STORE, NODE_POOL_STORE, NODE_STORE, POD_STORE } from './state/caches.ts';
export { ClusterModel } from './state/cluster-model.ts';
export { TimeSlices } from './state/time-slices.ts';
export type { OperatorOptions } from './options/operator-options.ts';
export { OfflineCluster, type OfflineObjects } from './offline/offline-cluster.ts';
export type { Decision, MethodName } from './disruption/command.ts';
