import type { NodePool } from '@karpenter-ts/apis';
import { formatPlaces } from '@karpenter-ts/kubernetes';
import type { Candidate } from '../candidates/candidate.ts';
import type { PoolTotals } from './pool-totals.ts';

// The policy Balanced (spec 04 §13): a move is worth it if the share of the pool's cost that it saves is large enough
// compared with the share of the pool's pods that it disturbs.

/** How much larger than the savings the disruption may be, as shares of the pool. */
export const BALANCED_K = 2;

/** What a move means to one NodePool. */
export interface PoolScore {
  readonly nodePool: NodePool;
  /** The pool's candidates in the move. */
  readonly candidates: readonly Candidate[];
  /** The pool's part of what the move saves. */
  readonly savings: number;
  readonly disruptionCost: number;
  /** Zeros if nothing is known about the pool, which rejects the move. */
  readonly totals: PoolTotals;
  readonly score: Score;
}

export interface Score {
  /** The shares of the pool's totals. */
  readonly savingsFraction: number;
  readonly disruptionFraction: number;
  /** Savings by disruption; 0 if nothing is saved, Infinity if nothing is disturbed. */
  readonly value: number;
  /** What it takes to be approved. */
  readonly threshold: number;
  readonly isApproved: boolean;
}

/** What a move means to the NodePools of its candidates. */
export interface MoveScore {
  /** Whether every pool of the policy Balanced approves. Other pools approve everything. */
  readonly isApproved: boolean;
  /** One for each pool of the policy Balanced, also after one of them has rejected. */
  readonly pools: readonly PoolScore[];
}

/** A move to be scored: these nodes go, and that much is saved with their replacements paid. */
export interface Move {
  readonly candidates: readonly Candidate[];
  readonly savings: number;
}

/** Scores a move. Several pools share its savings in proportion to what their candidates cost. */
export function scoreMove({ candidates, savings }: Move, totals: ReadonlyMap<string, PoolTotals>): MoveScore {
  const byPool = Map.groupBy(candidates, ({ pool }) => pool.nodePool.metadata.name);
  const cost = costOf(candidates);
  const pools: PoolScore[] = [];
  for (const [name, ofPool] of byPool) {
    const { nodePool } = ofPool[0]!.pool;
    if (!isBalanced(nodePool)) continue;
    const poolSavings = cost > 0 && byPool.size > 1 ? savings * (costOf(ofPool) / cost) : savings;
    const disruptionCost = ofPool.reduce((sum, one) => sum + one.rescheduleDisruptionCost, 0);
    const poolTotals = totals.get(name) ?? UNKNOWN;
    const score = scoreShares({ savings: poolSavings, disruptionCost }, poolTotals);
    pools.push({ nodePool, candidates: ofPool, savings: poolSavings, disruptionCost, totals: poolTotals, score });
  }
  return { isApproved: candidates.length > 0 && pools.every(({ score }) => score.isApproved), pools };
}

/**
 * Whether a move of the candidate alone can be approved: deletion saves most. It costs nothing to ask, while the move
 * itself must be simulated. A pool of unknown totals is not ruled out yet.
 */
export function mayBeApproved(candidate: Candidate, totals: ReadonlyMap<string, PoolTotals>): boolean {
  const { nodePool } = candidate.pool;
  if (!isBalanced(nodePool)) return true;
  const poolTotals = totals.get(nodePool.metadata.name);
  if (poolTotals === undefined || poolTotals.cost <= 0) return true;
  const { price: savings, rescheduleDisruptionCost: disruptionCost } = candidate;
  return scoreShares({ savings, disruptionCost }, poolTotals).isApproved;
}

/** Scores what a NodePool saves and what is disrupted of it. Without totals there is nothing to compare with: 0. */
export function scoreShares(
  { savings, disruptionCost }: Pick<PoolScore, 'savings' | 'disruptionCost'>,
  totals: PoolTotals,
  k = BALANCED_K,
): Score {
  const isKnown = totals.cost > 0 && totals.disruptionCost > 0;
  const savingsFraction = isKnown ? savings / totals.cost : 0;
  const disruptionFraction = isKnown ? disruptionCost / totals.disruptionCost : 0;
  const value = savingsFraction <= 0 ? 0 : savingsFraction / disruptionFraction; // by 0 it is Infinity
  const threshold = 1 / k;
  return { savingsFraction, disruptionFraction, value, threshold, isApproved: value >= threshold };
}

/** The message of the event `ConsolidationApproved`, in upstream's words (spec 04 §19). */
export function renderScore({ savingsFraction, disruptionFraction, value, threshold }: Score): string {
  const [score, least] = [value, threshold].map((one) => formatPlaces(one, 2));
  const [savings, disruption] = [savingsFraction, disruptionFraction].map((one) => formatPlaces(one * 100, 1));
  return `score ${score} >= threshold ${least} (k: ${BALANCED_K}, savings ${savings}%, disruption ${disruption}%)`;
}

function isBalanced({ spec }: NodePool): boolean {
  return spec.disruption.consolidationPolicy === 'Balanced';
}

function costOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { price }) => sum + price, 0);
}

const UNKNOWN: PoolTotals = { cost: 0, disruptionCost: 0 };
