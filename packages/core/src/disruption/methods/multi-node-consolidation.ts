import { isExtensionOn } from '@karpenter-ts/apis';
import type { Logger } from '@karpenter-ts/runtime';
import { type MoveScore, renderScore } from '../balanced/balanced-score.ts';
import { type ReportedMove, reportMove } from '../balanced/balanced-report.ts';
import { BudgetCounter, findAllowances } from '../budgets/budget-allowances.ts';
import {
  type ConsolidationDeps,
  publishFound,
  questionsAbout,
  toCommand,
  validate,
} from '../consolidation/consolidation-search.ts';
import { poolConsolidationApproved } from '../reports/disruption-events.ts';
import { consolidationTimeouts } from '../reports/disruption-metrics.ts';
import { findConsolidationObstacle } from '../candidates/eligibility.ts';
import { searchLimit } from './search-limits.ts';
import { type Decided, type Method, type MethodTurn, rememberNothingFound } from './method.ts';
import {
  findMultiNode,
  type MultiNodeFindings,
  type MultiNodeSearch,
  type Scored,
} from '../consolidation/multi-node.ts';
import { findSubset } from '../consolidation/subset-search.ts';

const TIMED_OUT_WITH = 'stopping multi-node consolidation after timeout, returning last valid command';
const TIMED_OUT = 'failed to find a multi-node consolidation after timeout';

/** Deletes several nodes at once, or replaces them by one that is cheaper (spec 04 §12). */
export class MultiNodeConsolidation implements Method {
  readonly name = 'MultiNodeConsolidation';
  readonly reason = 'Underutilized';
  readonly class = 'graceful';
  readonly consolidationType = 'multi';
  readonly findObstacle = findConsolidationObstacle;
  readonly #deps: ConsolidationDeps;

  constructor(deps: ConsolidationDeps) {
    this.#deps = deps;
  }

  async decide(turn: MethodTurn): Promise<readonly Decided[]> {
    const { cluster, memory } = this.#deps;
    if (memory.isConsolidated(this.name, cluster.consolidationState())) return [];
    const found = await this.#search(turn);
    if (found === undefined) return [];
    const command = toCommand(this, found.consolidation);
    publishFound(command, this.#deps);
    const valid = await validate(this, [command], turn, this.#deps);
    return valid.map((one) => ({ ...one, onStart: () => this.#report(found, 'approved', turn.logger) }));
  }

  async #search(turn: MethodTurn): Promise<Scored<MoveScore> | undefined> {
    const { clock, metrics, options, provider } = this.#deps;
    const { view, candidates, budgets, logger } = turn;
    const limit = searchLimit('multi', options);
    const search = { candidates, budgets, clock, deadline: clock.elapsed() + limit, profile: provider.profile };
    const findings = await this.#find({ ...search, ...questionsAbout(view, this.#deps) }, turn);
    const { found, rejected, timedOutAt } = findings;
    if (timedOutAt !== undefined) {
      metrics.increment(consolidationTimeouts, { consolidation_type: this.consolidationType });
      if (found !== undefined) logger.debug(TIMED_OUT_WITH);
      else logger.debug(TIMED_OUT, { last_batch_size: timedOutAt });
      return found; // what there was no time for may still be found, so this is not remembered (spec 04 §25-6)
    }
    if (found !== undefined) return found;
    if (rejected !== undefined) this.#report(rejected, 'rejected', logger);
    rememberNothingFound(this.#deps, this.name, turn);
    return undefined;
  }

  /** Looks among the first candidates of all, and then, if that is wanted, among those that are alike. */
  async #find(search: MultiNodeSearch<MoveScore>, { view, slices }: MethodTurn): Promise<MultiNodeFindings<MoveScore>> {
    const { signal } = slices;
    const first = await findMultiNode(search, signal);
    const { options } = this.#deps;
    const isWanted = isExtensionOn(options.extensions, 'A3') && options.consolidationSearch === 'Subset';
    if (!isWanted || first.found !== undefined || first.timedOutAt !== undefined) return first;
    const budgets = () => new BudgetCounter(findAllowances(this.reason, view.state, view.nodeCounts));
    const among = await findSubset({ ...search, budgets }, signal);
    return { ...among, rejected: among.rejected ?? first.rejected };
  }

  /** One NodePool rejects a move for all of them, so those that approve are told of a rejected move, too. */
  #report(
    { consolidation, approval: score }: Scored<MoveScore>,
    outcome: ReportedMove['outcome'],
    logger: Logger,
  ): void {
    const { events, metrics } = this.#deps;
    reportMove({ consolidation, score, outcome }, metrics, logger);
    for (const { nodePool, score: ofPool } of score.pools) {
      if (ofPool.isApproved) events.publish(poolConsolidationApproved(nodePool, renderScore(ofPool)));
    }
  }
}
