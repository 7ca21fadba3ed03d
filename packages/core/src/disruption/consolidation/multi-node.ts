import type { ProviderProfile } from '@karpenter-ts/apis';
import type { SteadyClock } from '@karpenter-ts/runtime';
import type { BudgetCounter } from '../budgets/budget-allowances.ts';
import type { Candidate } from '../candidates/candidate.ts';
import { bySavingsRatio } from '../candidates/candidate-order.ts';
import {
  type ConsolidationContext,
  type ConsolidationOption,
  type PossibleConsolidation,
  replaceBy,
} from './consolidation-option.ts';
import { offerOf } from './offer.ts';
import { dropSameTypes } from './same-type-filter.ts';

/** The policies' opinion of a consolidation; what else it has goes through the searches unread. */
export interface Approval {
  readonly isApproved: boolean;
}

/** Computes what can be done with a set of candidates. Rejects if the simulation fails or is aborted. */
export type OptionFinder = (candidates: readonly Candidate[], signal: AbortSignal) => Promise<ConsolidationOption>;

/** What a search for several nodes to consolidate at once works on. */
export interface MultiNodeSearch<A extends Approval> {
  /** Those that consolidation has no obstacle for. */
  readonly candidates: readonly Candidate[];
  readonly budgets: BudgetCounter;
  readonly findOption: OptionFinder;
  readonly approve: (consolidation: PossibleConsolidation) => A;
  readonly context: ConsolidationContext;
  readonly profile: ProviderProfile;
  readonly clock: Pick<SteadyClock, 'elapsed'>;
  /** The search ends at this time with what it has found (monotonic milliseconds; Infinity for no limit). */
  readonly deadline: number;
}

/** A consolidation, and what the policies say about it. */
export interface Scored<A extends Approval> {
  readonly consolidation: PossibleConsolidation;
  readonly approval: A;
}

/** What the search found. */
export interface MultiNodeFindings<A extends Approval> {
  /** The largest set that was found. */
  readonly found: Scored<A> | undefined;
  /** If nothing was found: the last set that could be consolidated but was not approved. */
  readonly rejected: Scored<A> | undefined;
  /** All sets that a cheaper node could replace, before the filter for equal types and the approval. */
  readonly replaceable: readonly PossibleConsolidation[];
  /** How many candidates the set has that there was no time for. */
  readonly timedOutAt: number | undefined;
}

/** One set holds at most this many candidates more than one. */
const MOST_CANDIDATES = 100;

/**
 * Looks for the largest set of candidates that can go together, by binary search among the first of them (spec 04 §12).
 * That they can go in growing numbers up to some point is not certain, only likely, so the search may miss a larger set;
 * what it finds is always valid.
 */
export async function findMultiNode<A extends Approval>(
  search: MultiNodeSearch<A>,
  signal: AbortSignal,
): Promise<MultiNodeFindings<A>> {
  const { budgets, approve, clock, deadline } = search;
  const candidates = bySavingsRatio(search.candidates).filter((candidate) => budgets.take(candidate));
  const replaceable: PossibleConsolidation[] = [];
  let found: Scored<A> | undefined;
  let rejected: Scored<A> | undefined;
  let timedOutAt: number | undefined;
  // Indexes of the last candidate of a set, the smallest and the largest that are still open.
  let lowest = 1;
  let highest = Math.min(candidates.length - 1, MOST_CANDIDATES);
  while (lowest <= highest) {
    const middle = Math.floor((lowest + highest) / 2);
    if (clock.elapsed() >= deadline) {
      timedOutAt = middle;
      break;
    }
    const option = await search.findOption(candidates.slice(0, middle + 1), signal);
    if (option.decision === 'replace') replaceable.push(option);
    const consolidation = option.decision === 'no-op' ? undefined : withoutSameTypes(option, search);
    const scored = consolidation && { consolidation, approval: approve(consolidation) };
    if (scored?.approval.isApproved === true) {
      found = scored;
      lowest = middle + 1;
    } else {
      rejected = scored ?? rejected;
      highest = middle - 1;
    }
  }
  return { found, rejected: found === undefined ? rejected : undefined, replaceable, timedOutAt };
}

function withoutSameTypes<A extends Approval>(
  consolidation: PossibleConsolidation,
  { context, profile }: MultiNodeSearch<A>,
): PossibleConsolidation | undefined {
  const [replacement, ...more] = consolidation.replacements;
  // Several replacements have been compared with the candidates of their types already.
  if (replacement === undefined || more.length > 0) return consolidation;
  const filtered = dropSameTypes(offerOf(replacement.planned, context), consolidation.candidates, profile);
  return 'kind' in filtered ? undefined : replaceBy([filtered], consolidation);
}
