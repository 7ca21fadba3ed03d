import type { WindowReason } from '@karpenter-ts/apis';
import type { Instant } from '@karpenter-ts/runtime';
import { type Blocker, blockerOf, blockerOfEligibility } from './blockers.ts';
import type { BudgetAllowances } from '../budgets/budget-allowances.ts';
import type { Candidate } from '../candidates/candidate.ts';
import type { CandidateSelection } from '../candidates/candidate-filters.ts';
import type { EligibleCandidates, Ineligibility } from '../candidates/eligibility.ts';

/** What a method knew when it looked for nodes. */
export interface MethodLook {
  readonly selection: CandidateSelection;
  readonly candidates: EligibleCandidates;
  readonly findObstacle: (candidate: Candidate, now: Instant) => Ineligibility | undefined;
  readonly allowances: BudgetAllowances;
  readonly now: Instant;
}

/** Numbers of nodes by NodePool and blocker. */
export type BlockedCounts = ReadonlyMap<string, ReadonlyMap<Blocker, number>>;

/**
 * Why nodes stay that a reason of disruption would have go (spec 09 C5). Methods tell what they found out about single
 * candidates; it is remembered until they look at the candidate again, because a method that found nothing does not look
 * again before something changes.
 */
export class BlockedNodes {
  /** By reason, then by provider id; only candidates. */
  readonly #found = new Map<WindowReason, Map<string, Blocker>>();

  /** Why the candidate stays; undefined if it may go. */
  note(reason: WindowReason, { stateNode }: Candidate, blocker: Blocker | undefined): void {
    const found = this.#found.get(reason) ?? new Map<string, Blocker>();
    this.#found.set(reason, found);
    if (blocker === undefined) found.delete(stateNode.providerId);
    else found.set(stateNode.providerId, blocker);
  }

  /** Counts the nodes that should go for this reason and stay, each at the first thing that blocks it. */
  count(reason: WindowReason, method: MethodLook): BlockedCounts {
    const counts = new Map<string, Map<Blocker, number>>();
    const add = (nodePool: string, blocker: Blocker, nodes = 1): void => {
      const ofPool = counts.get(nodePool) ?? new Map<Blocker, number>();
      counts.set(nodePool, ofPool.set(blocker, (ofPool.get(blocker) ?? 0) + nodes));
    };
    const { selection, candidates } = method;
    for (const { candidate, why } of selection.blocked) {
      const blocker = blockerOf(why);
      if (candidate !== undefined && blocker !== undefined && isWanted(candidate, method))
        add(poolOf(candidate), blocker);
    }
    for (const { candidate, why } of candidates.ineligible) {
      const blocker = blockerOfEligibility(why);
      if (blocker !== undefined) add(poolOf(candidate), blocker);
    }
    for (const [nodePool, ofPool] of Map.groupBy(candidates.eligible, poolOf)) {
      const { remaining = 0, window } = method.allowances.byPool.get(nodePool) ?? {};
      const isClosed = window !== undefined && window.kind !== 'Unnamed' && window.kind !== 'Open';
      if (isClosed && remaining === 0) {
        add(nodePool, 'window', ofPool.length); // it is asked before a method looks at any of them
        continue;
      }
      const found = ofPool.map(({ stateNode }) => this.#found.get(reason)?.get(stateNode.providerId));
      for (const blocker of found) if (blocker !== undefined) add(nodePool, blocker);
      const free = found.filter((blocker) => blocker === undefined).length;
      if (free > remaining) add(nodePool, isClosed ? 'window' : 'budget', free - remaining);
    }
    this.#forgetOthers(reason, candidates.eligible);
    return counts;
  }

  #forgetOthers(reason: WindowReason, eligible: readonly Candidate[]): void {
    const found = this.#found.get(reason);
    if (found === undefined) return;
    const ids = new Set(eligible.map(({ stateNode }) => stateNode.providerId));
    for (const id of found.keys()) if (!ids.has(id)) found.delete(id);
  }
}

/** Whether the method would take the candidate, now or at a time that it waits for. */
function isWanted(candidate: Candidate, { findObstacle, now }: MethodLook): boolean {
  const why = findObstacle(candidate, now);
  return why === undefined || blockerOfEligibility(why) !== undefined;
}

function poolOf({ pool }: Candidate): string {
  return pool.nodePool.metadata.name;
}
