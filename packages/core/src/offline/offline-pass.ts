import type { DisruptionReason } from '@karpenter-ts/apis';
import { type BudgetAllowances, countNodes, findAllowances } from '../disruption/budget-allowances.ts';
import type { DisruptionClass } from '../disruption/candidate.ts';
import { CandidateFinder, type CandidateScan } from '../disruption/candidate-filters.ts';
import type { MethodName } from '../disruption/command.ts';
import type { DisruptionState } from '../disruption/disruption-state.ts';
import {
  type EligibleCandidates,
  findConsolidationObstacle,
  findDriftObstacle,
  findEmptinessObstacle,
  selectEligible,
} from '../disruption/eligibility.ts';
import { DisruptionStateReader } from '../disruption/read-state.ts';
import type { OfflineCluster } from './offline-cluster.ts';

/** Why each method disrupts, which nodes it asks for, and which of these concern it. */
export const METHODS = {
  Emptiness: { reason: 'Empty', class: 'graceful', findObstacle: findEmptinessObstacle },
  Drift: { reason: 'Drifted', class: 'eventual', findObstacle: findDriftObstacle },
  MultiNodeConsolidation: { reason: 'Underutilized', class: 'graceful', findObstacle: findConsolidationObstacle },
  SingleNodeConsolidation: { reason: 'Underutilized', class: 'graceful', findObstacle: findConsolidationObstacle },
} as const satisfies Record<MethodName, { reason: DisruptionReason; class: DisruptionClass; findObstacle: unknown }>;

/** The methods in the order in which a pass tries them. */
export const METHOD_NAMES = Object.keys(METHODS) as readonly MethodName[];

/** An offline cluster as one pass of disruption sees it. It does not change while the caches do. */
export class OfflinePass {
  readonly state: DisruptionState;
  readonly scan: CandidateScan;

  private constructor(state: DisruptionState, scan: CandidateScan) {
    this.state = state;
    this.scan = scan;
  }

  /** Reads the cluster as it is now, at the time that its clock shows. */
  static async read(cluster: OfflineCluster, signal: AbortSignal): Promise<OfflinePass> {
    const slices = cluster.slices(signal);
    const reader = new DisruptionStateReader({
      caches: cluster.caches,
      clock: cluster.clock,
      provider: cluster.provider,
      cluster: cluster.model,
      podDisruptionBudgets: cluster.podDisruptionBudgets,
      queue: new Set(), // nothing is being carried out
    });
    const state = await reader.read(slices, cluster.logger);
    return new OfflinePass(state, await new CandidateFinder().find(state, slices));
  }

  /** The candidates that concern a method, and why the others do not. */
  candidatesOf(method: MethodName): EligibleCandidates {
    const { class: kind, findObstacle } = METHODS[method];
    return selectEligible(this.scan[kind].candidates, findObstacle);
  }

  allowances(reason: DisruptionReason): BudgetAllowances {
    return findAllowances(reason, this.state, countNodes(this.state.stateNodes));
  }
}
