import type { Logger, Metrics } from '@karpenter-ts/runtime';
import { BALANCED_K, type MoveScore, type PoolScore } from './balanced-score.ts';
import { candidateName } from '../candidates/candidate.ts';
import type { PossibleConsolidation } from '../consolidation/consolidation-option.ts';
import { consolidationMoves, consolidationScore } from '../reports/disruption-metrics.ts';

/** A move that was scored, and what became of it. */
export interface ReportedMove {
  readonly consolidation: Pick<PossibleConsolidation, 'candidates' | 'decision'>;
  readonly score: MoveScore;
  readonly outcome: 'approved' | 'rejected';
}

/** Counts a move for its NodePools, whatever their policies, and its score for those of policy Balanced (spec 04 §13). */
export function reportMove({ consolidation, score, outcome }: ReportedMove, metrics: Metrics, logger: Logger): void {
  const pools = new Map(consolidation.candidates.map(({ pool }) => [pool.nodePool.metadata.name, pool.nodePool]));
  for (const [nodepool, { spec }] of pools) {
    metrics.increment(consolidationMoves, { decision: outcome, nodepool, policy: spec.disruption.consolidationPolicy });
  }
  for (const one of score.pools) {
    const { nodePool } = one;
    const labels = {
      decision: one.score.isApproved ? 'approved' : 'rejected',
      nodepool: nodePool.metadata.name,
      policy: nodePool.spec.disruption.consolidationPolicy,
    };
    metrics.observe(consolidationScore, labels, one.score.value);
    logger.debug('consolidation score', fieldsOf(one, consolidation.decision));
  }
}

function fieldsOf(
  { nodePool, score, savings, disruptionCost, totals, candidates }: PoolScore,
  decision: PossibleConsolidation['decision'],
): Readonly<Record<string, unknown>> {
  return {
    nodepool: nodePool.metadata.name,
    score: score.value,
    savings_fraction: score.savingsFraction,
    disruption_fraction: score.disruptionFraction,
    savings,
    disruption_cost: disruptionCost,
    nodepool_total_cost: totals.cost,
    nodepool_total_disruption_cost: totals.disruptionCost,
    threshold: score.threshold,
    k: BALANCED_K,
    approved: score.isApproved,
    decision,
    candidates: candidates.map(candidateName),
  };
}
