import { LaunchPriceIndexes } from '@karpenter-ts/scheduling';
import { mayBeApproved, type MoveScore, scoreMove } from '../disruption/balanced/balanced-score.ts';
import {
  type BudgetAllowances,
  BudgetCounter,
  countNodes,
  findAllowances,
} from '../disruption/budgets/budget-allowances.ts';
import type { Candidate } from '../disruption/candidates/candidate.ts';
import { CandidateFinder, type CandidateScan } from '../disruption/candidates/candidate-filters.ts';
import { byDriftTime, bySavingsRatio } from '../disruption/candidates/candidate-order.ts';
import type { Command } from '../disruption/commands/command.ts';
import {
  type ConsolidationContext,
  findOption,
  type PossibleConsolidation,
} from '../disruption/consolidation/consolidation-option.ts';
import type { DisruptionState } from '../disruption/view/disruption-state.ts';
import { findDriftedNode } from '../disruption/methods/drift-method.ts';
import { type EligibleCandidates, selectEligible } from '../disruption/candidates/eligibility.ts';
import { findEmptyNodes } from '../disruption/methods/empty-nodes.ts';
import { type Approval, findMultiNode, type OptionFinder } from '../disruption/consolidation/multi-node.ts';
import { PlanningSimulators } from '../disruption/simulation/planning-simulator.ts';
import { findPoolTotals, type PoolTotals } from '../disruption/balanced/pool-totals.ts';
import { DisruptionStateReader } from '../disruption/view/read-state.ts';
import { inTurns, type Look, SingleNodeWalk } from '../disruption/consolidation/single-node.ts';
import type { Simulation } from '../disruption/simulation/simulator.ts';
import { METHODS, type UpstreamMethod as MethodName } from './methods.ts';
import type { OfflineCluster } from './offline-cluster.ts';

/** What the policies of the NodePools say about a move. */
export interface Scoring extends Approval {
  readonly score: MoveScore;
}

/** What came of looking at one candidate alone. */
export type CandidateLook =
  | { readonly kind: 'Command'; readonly candidate: Candidate; readonly command: Command; readonly score?: MoveScore }
  /** Drift: the candidate's pods would not all have a place. */
  | { readonly kind: 'Unschedulable'; readonly candidate: Candidate }
  | {
      readonly kind: 'NoOption';
      readonly candidate: Candidate;
      readonly look: Extract<Look<Scoring>, { kind: 'NoOption' }>;
    }
  /** The policy Balanced does not approve of anything that could be done. */
  | { readonly kind: 'NotApproved'; readonly candidate: Candidate };

/** An offline cluster as one pass of disruption sees it. It does not change while the caches do. */
export class OfflinePass {
  readonly state: DisruptionState;
  readonly scan: CandidateScan;
  readonly #cluster: OfflineCluster;
  readonly #finder: CandidateFinder;
  readonly #simulators: PlanningSimulators;

  private constructor(cluster: OfflineCluster, state: DisruptionState, finder: CandidateFinder, scan: CandidateScan) {
    this.#cluster = cluster;
    this.state = state;
    this.scan = scan;
    this.#finder = finder;
    this.#simulators = new PlanningSimulators(state, cluster.simulatorDeps());
  }

  /** Reads the cluster as it is now, at the time that its clock shows. */
  static async read(cluster: OfflineCluster, signal: AbortSignal): Promise<OfflinePass> {
    const { caches, clock, options, provider, model, podDisruptionBudgets } = cluster;
    const slices = cluster.slices(signal);
    const queue = { has: () => false, isReplacement: () => false }; // nothing is being carried out
    const deps = { caches, clock, options, provider, cluster: model, podDisruptionBudgets, queue };
    const state = await new DisruptionStateReader(deps).read(slices, cluster.logger);
    const finder = new CandidateFinder();
    return new OfflinePass(cluster, state, finder, await finder.find(state, slices));
  }

  /** The candidates that concern a method in the order in which it walks them, and why the others do not. */
  candidatesOf(method: MethodName): EligibleCandidates {
    const { class: kind, findObstacle } = METHODS[method];
    const selected = selectEligible(this.scan[kind].candidates, findObstacle, this.state.now);
    return { ...selected, eligible: ORDERS[method](selected.eligible) };
  }

  /** What the budgets allow the method. */
  allowances(method: MethodName): BudgetAllowances {
    return findAllowances(METHODS[method].reason, this.state, countNodes(this.state.stateNodes));
  }

  /** What the pools with candidates of the method cost in all. */
  totals(method: MethodName): ReadonlyMap<string, PoolTotals> {
    return findPoolTotals(this.scan[METHODS[method].class], this.state, this.#finder.prices);
  }

  /** The command that the method decides on; undefined if it finds none. */
  async findCommand(method: MethodName, signal: AbortSignal): Promise<Command | undefined> {
    const candidates = this.candidatesOf(method).eligible;
    if (candidates.length === 0) return undefined;
    const budgets = new BudgetCounter(this.allowances(method));
    switch (method) {
      case 'Emptiness':
        return findEmptyNodes(candidates, budgets);
      case 'Drift':
        return this.#findDrifted(candidates, budgets, signal);
      case 'MultiNodeConsolidation': {
        const { found } = await findMultiNode({ ...this.#search(method), candidates, budgets }, signal);
        return found && toCommand(method, found.consolidation);
      }
      case 'SingleNodeConsolidation': {
        const walk = this.#walk(candidates, budgets, () => {});
        const found = await walk.next(signal);
        return 'kind' in found ? undefined : toCommand(method, found.consolidation);
      }
      default:
        return method satisfies never;
    }
  }

  /** Looks at each candidate of Drift or of single-node consolidation as if there were no other and no budget. */
  async lookAtEach(
    method: 'Drift' | 'SingleNodeConsolidation',
    signal: AbortSignal,
  ): Promise<readonly CandidateLook[]> {
    const looks: CandidateLook[] = [];
    for (const candidate of this.candidatesOf(method).eligible) {
      const look = method === 'Drift' ? this.#lookAtDrifted(candidate, signal) : this.#lookAtSingle(candidate, signal);
      looks.push(await look);
    }
    return looks;
  }

  /** What consolidation would do with the pods of these candidates. */
  simulate(candidates: readonly Candidate[], signal: AbortSignal): Promise<Simulation | 'CandidateIsDeleting'> {
    return this.#simulators.for('Quiet').simulate(candidates, signal);
  }

  async #lookAtDrifted(candidate: Candidate, signal: AbortSignal): Promise<CandidateLook> {
    const command = await this.#findDrifted([candidate], new BudgetCounter(oneOf(candidate)), signal);
    return command === undefined ? { kind: 'Unschedulable', candidate } : { kind: 'Command', candidate, command };
  }

  async #lookAtSingle(candidate: Candidate, signal: AbortSignal): Promise<CandidateLook> {
    let last: Look<Scoring> | undefined;
    await this.#walk([candidate], new BudgetCounter(oneOf(candidate)), (look) => (last = look)).next(signal);
    if (last === undefined) return { kind: 'NotApproved', candidate };
    switch (last.kind) {
      case 'Found': {
        const { consolidation, approval } = last.scored;
        const command = toCommand('SingleNodeConsolidation', consolidation);
        return { kind: 'Command', candidate, command, score: approval.score };
      }
      case 'NoOption':
        return { kind: 'NoOption', candidate, look: last };
      case 'NotApproved':
        return { kind: 'NotApproved', candidate };
      case 'Failed':
        throw last.error;
      default:
        return last satisfies never;
    }
  }

  async #findDrifted(
    candidates: readonly Candidate[],
    budgets: BudgetCounter,
    signal: AbortSignal,
  ): Promise<Command | undefined> {
    const { state } = this;
    const { clock } = this.#cluster; // it stands still, so the search is never cut short
    const simulator = this.#simulators.for('All');
    const search = { candidates, budgets, simulator, state, clock, lookedAt: new Set<string>() };
    return (await findDriftedNode(search, signal)).command;
  }

  #walk(
    candidates: readonly Candidate[],
    budgets: BudgetCounter,
    report: (look: Look<Scoring>) => void,
  ): SingleNodeWalk<Scoring> {
    const method = 'SingleNodeConsolidation';
    const totals = this.totals(method);
    const canApprove = (candidate: Candidate): boolean => mayBeApproved(candidate, totals);
    const unseenPools = new Set<string>();
    return new SingleNodeWalk({ ...this.#search(method), candidates, budgets, canApprove, unseenPools }, report);
  }

  /** What both searches for consolidations work on. */
  #search(method: MethodName) {
    const { clock, options, provider } = this.#cluster;
    const context: ConsolidationContext = {
      pools: this.state.pools,
      prices: new LaunchPriceIndexes(provider.profile),
      spotToSpot: options.featureGates.SpotToSpotConsolidation,
    };
    const simulator = this.#simulators.for('Quiet');
    const totals = this.totals(method);
    const find: OptionFinder = (candidates, signal) => findOption(candidates, context, simulator, signal);
    const approve = (move: PossibleConsolidation): Scoring => {
      const score = scoreMove(move, totals);
      return { isApproved: score.isApproved, score };
    };
    return { findOption: find, approve, context, profile: provider.profile, clock, deadline: Infinity };
  }
}

const ORDERS: Readonly<Record<MethodName, (candidates: readonly Candidate[]) => readonly Candidate[]>> = {
  Emptiness: bySavingsRatio,
  Drift: byDriftTime,
  MultiNodeConsolidation: bySavingsRatio,
  SingleNodeConsolidation: (candidates) => inTurns(candidates, new Set()),
};

/** As if the budgets of the candidate's pool allowed one disruption. */
function oneOf({ pool }: Candidate): ConstructorParameters<typeof BudgetCounter>[0] {
  const { name } = pool.nodePool.metadata;
  return { byPool: new Map([[name, { remaining: 1 }]]) };
}

function toCommand(
  method: 'MultiNodeConsolidation' | 'SingleNodeConsolidation',
  { candidates, replacements, plan, savings }: PossibleConsolidation,
): Command {
  const consolidationType = method === 'MultiNodeConsolidation' ? 'multi' : 'single';
  return { method, reason: 'Underutilized', consolidationType, candidates, replacements, plan, savings };
}
