import { formatMinimumSavings, type MinimumSavings } from '@karpenter-ts/apis';
import type { Candidate } from '../candidates/candidate.ts';

/** A saving that is below what a NodePool of the candidates asks for (spec 09 A5). */
export interface SavingsShortfall {
  readonly nodePool: string;
  readonly minimum: MinimumSavings;
  /** Dollars per hour. */
  readonly savings: number;
  /** The price of the candidates, per hour. */
  readonly price: number;
}

/** What adding up prices may leave behind. */
const NOISE = 1e-9;

/** The first pool that the candidates' going saves too little for; undefined if it saves enough for all of them. */
export function findSavingsShortfall(
  candidates: readonly Candidate[],
  { price, newPrice }: { readonly price: number; readonly newPrice: number },
  decision: 'delete' | 'replace',
): SavingsShortfall | undefined {
  const savings = price - newPrice;
  for (const { pool } of candidates) {
    const { minSavings: minimum, minSavingsDelete } = pool.settings;
    if (decision === 'delete' && !minSavingsDelete) continue;
    const isEnough = savings >= minimum.part * price - NOISE && savings >= minimum.perHour - NOISE;
    if (!isEnough) return { nodePool: pool.nodePool.metadata.name, minimum, savings, price };
  }
  return undefined;
}

/** As an event says it. */
export function renderShortfall({ nodePool, minimum, savings, price }: SavingsShortfall): string {
  const wanted = Number.isFinite(minimum.part) ? formatMinimumSavings(minimum) : 'it cannot be read';
  const percent = price > 0 ? (savings / price) * 100 : 0;
  return `Saving $${rounded(savings)}/h (${rounded(percent)}%) is below the minimum of nodepool "${nodePool}" (${wanted})`;
}

/** Without the noise of floating point. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
