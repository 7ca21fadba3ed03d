import type { SteadyClock } from '@karpenter-ts/runtime';
import type { BudgetCounter } from '../budgets/budget-allowances.ts';
import type { Candidate } from '../candidates/candidate.ts';
import { bySavingsRatio } from '../candidates/candidate-order.ts';
import type { ConsolidationOption, PossibleConsolidation } from './consolidation-option.ts';
import type { Approval, OptionFinder, Scored } from './multi-node.ts';

/** What a walk over all candidates works on. */
export interface SingleNodeSearch<A extends Approval> {
  /** Those that consolidation has no obstacle for. */
  readonly candidates: readonly Candidate[];
  /** NodePools that walks before this one ran out of time for. They come first. */
  readonly unseenPools: ReadonlySet<string>;
  readonly budgets: BudgetCounter;
  readonly findOption: OptionFinder;
  readonly approve: (consolidation: PossibleConsolidation) => A;
  /** Whether the policies could approve anything for the candidate. If not, the simulation is saved. */
  readonly canApprove: (candidate: Candidate) => boolean;
  readonly clock: Pick<SteadyClock, 'elapsed'>;
  /** The walk ends at this time (monotonic milliseconds; Infinity for no limit). */
  readonly deadline: number;
}

/** One candidate, and what came of it. */
export type Look<A extends Approval> =
  | { readonly kind: 'NoOption'; readonly candidate: Candidate; readonly option: NoOption }
  | { readonly kind: 'NotApproved' | 'Found'; readonly candidate: Candidate; readonly scored: Scored<A> }
  | { readonly kind: 'Failed'; readonly candidate: Candidate; readonly error: unknown };

type NoOption = Extract<ConsolidationOption, { decision: 'no-op' }>;

/** How a walk ended. */
export type WalkEnd =
  | { readonly kind: 'Complete' }
  | { readonly kind: 'TimedOut'; readonly looked: number; readonly unseenPools: ReadonlySet<string> };

/**
 * Looks at the candidates one after the other (spec 04 §12a). It stops at each that can be consolidated; the caller may
 * then go on, for example if the validation has failed. What was found earlier is not taken into account: a caller that
 * executes several commands must see to it that they do not get into each other's way.
 */
export class SingleNodeWalk<A extends Approval> {
  readonly #search: SingleNodeSearch<A>;
  readonly #report: (look: Look<A>) => void;
  readonly #order: readonly Candidate[];
  readonly #unseen: Set<string>;
  #next = 0;
  #hasFailed = false;

  /** `report` is told of every candidate that is looked at. */
  constructor(search: SingleNodeSearch<A>, report: (look: Look<A>) => void) {
    this.#search = search;
    this.#report = report;
    this.#order = inTurns(search.candidates, search.unseenPools);
    this.#unseen = new Set(search.candidates.map(poolOf));
  }

  /** Whether a simulation failed, so that nobody knows whether its candidate could be consolidated. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** The next candidate that can be consolidated, or how the walk ended. Rejects if it was aborted. */
  async next(signal: AbortSignal): Promise<Scored<A> | WalkEnd> {
    const { budgets, canApprove, clock, deadline } = this.#search;
    while (this.#next < this.#order.length) {
      if (clock.elapsed() >= deadline) return { kind: 'TimedOut', looked: this.#next, unseenPools: this.#unseen };
      const candidate = this.#order[this.#next++]!;
      this.#unseen.delete(poolOf(candidate));
      if (!budgets.admits(candidate) || !canApprove(candidate)) continue;
      const look = await this.#look(candidate, signal);
      this.#report(look);
      if (look.kind === 'Found') return look.scored;
    }
    return { kind: 'Complete' };
  }

  async #look(candidate: Candidate, signal: AbortSignal): Promise<Look<A>> {
    try {
      const option = await this.#search.findOption([candidate], signal);
      if (option.decision === 'no-op') return { kind: 'NoOption', candidate, option };
      const scored = { consolidation: option, approval: this.#search.approve(option) };
      return { kind: scored.approval.isApproved ? 'Found' : 'NotApproved', candidate, scored };
    } catch (error) {
      signal.throwIfAborted();
      this.#hasFailed = true;
      return { kind: 'Failed', candidate, error };
    }
  }
}

/**
 * One candidate of each NodePool in turn, those that save most first, so that a walk that runs out of time has seen some
 * of every pool. Pools that no walk has seen for lack of time come before the others.
 */
export function inTurns(candidates: readonly Candidate[], unseenPools: ReadonlySet<string>): readonly Candidate[] {
  const byPool = Map.groupBy(bySavingsRatio(candidates), poolOf);
  const isSeen = (pool: string) => (unseenPools.has(pool) ? 0 : 1);
  const pools = [...byPool.keys()].sort((a, b) => isSeen(a) - isSeen(b) || (a < b ? -1 : 1));
  const turns: Candidate[] = [];
  for (let turn = 0; turns.length < candidates.length; turn++) {
    for (const pool of pools) {
      const candidate = byPool.get(pool)![turn];
      if (candidate !== undefined) turns.push(candidate);
    }
  }
  return turns;
}

function poolOf({ pool }: Candidate): string {
  return pool.nodePool.metadata.name;
}
