// The cluster model, the controllers, and the process made of them. What is not here is private.
export { type CacheDeps, type Caches, createCaches, type InformerCaches, listCaches } from './state/caches.ts';
export type { ControllerDeps } from './state/controller-deps.ts';
export { createOperator, type Operator, type OperatorSettings } from './operator/operator.ts';
export { refuseUnbuiltSettings } from './operator/unbuilt-settings.ts';
export { coreOptions } from './options/core-options.ts';
export { disruptionOptions } from './options/disruption-options.ts';
export { type ExtensionOptions, extensionOptions } from './options/extension-options.ts';
export { operatorOptions } from './options/operator-options.ts';
// What a pass of disruption is made of, for those who run it without a controller: plans of a file, benches.
export {
  BudgetCounter,
  countNodes,
  findAllowances,
  findFaultyBudgets,
} from './disruption/budgets/budget-allowances.ts';
export { CandidateFinder } from './disruption/candidates/candidate-filters.ts';
export type { Candidate } from './disruption/candidates/candidate.ts';
export { type ConsolidationContext, findOption } from './disruption/consolidation/consolidation-option.ts';
export type { DisruptionState } from './disruption/view/disruption-state.ts';
export { findConsolidationObstacle, selectEligible } from './disruption/candidates/eligibility.ts';
export { findMultiNode } from './disruption/consolidation/multi-node.ts';
export { PlanningSimulators } from './disruption/simulation/planning-simulator.ts';
export { RememberedOptions } from './disruption/consolidation/remembered-options.ts';
export { DisruptionStateReader } from './disruption/view/read-state.ts';
export { SingleNodeWalk } from './disruption/consolidation/single-node.ts';
export { PlannerDriver } from './planning/planner-driver.ts';
export { planningOptions } from './planning/planning-options.ts';
export { PodDisruptionBudgets } from './pods/disruption-budgets.ts';
export { NODE_CLAIM_STORE, NODE_POOL_STORE, NODE_STORE, POD_STORE } from './state/caches.ts';
export { ClusterModel } from './state/cluster-model.ts';
export { TimeSlices } from './state/time-slices.ts';
export type { OperatorOptions } from './options/operator-options.ts';
export { OfflineCluster, type OfflineObjects } from './offline/offline-cluster.ts';
export type { Decision } from './disruption/commands/command.ts';
// Deciding about a cluster of a file.
export { renderBlock, renderIneligibility } from './disruption/candidates/block-text.ts';
export type { BlockReason } from './disruption/candidates/candidate-filters.ts';
export type { Ineligibility } from './disruption/candidates/eligibility.ts';
export { OfferingPrices } from './disruption/candidates/offering-prices.ts';
export { PoolSettings } from './options/pool-settings.ts';
export { expiryOf } from './nodeclaim/expiry.ts';
export { renderScore } from './disruption/balanced/balanced-score.ts';
export { candidateName } from './disruption/candidates/candidate.ts';
export { type Command, decisionOf, type Replacement } from './disruption/commands/command.ts';
export { renderNoConsolidation } from './disruption/consolidation/consolidation-text.ts';
export { renderValidationFailure } from './disruption/methods/validation-text.ts';
export { candidateCommandText, dollars, shortCommandText } from './disruption/commands/command-text.ts';
export { type Attempt, runPass, tryMethod } from './offline/controller-pass.ts';
export { METHOD_NAMES, METHODS, type UpstreamMethod as MethodName } from './offline/methods.ts';
export { type CandidateLook, OfflinePass } from './offline/offline-pass.ts';
export { planPendingPods } from './offline/settling.ts';
export { type Walk, type WalkStep, walkToRest } from './offline/walk.ts';
