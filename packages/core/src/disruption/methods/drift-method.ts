import { MINUTE, type SteadyClock } from '@karpenter-ts/runtime';
import type { Plan } from '@karpenter-ts/scheduling';
import type { BudgetCounter } from '../budgets/budget-allowances.ts';
import type { Candidate } from '../candidates/candidate.ts';
import { byDriftTime, byExpiry } from '../candidates/candidate-order.ts';
import type { Command } from '../commands/command.ts';
import type { DisruptionState } from '../view/disruption-state.ts';
import { replacementsOf } from '../commands/replacements.ts';
import type { SimulationError, Simulator } from '../simulation/simulator.ts';

/** After this long the other methods have their turn, and the next pass goes on (spec 04 §25-2). */
const SEARCH_LIMIT = MINUTE;

/** What the search for a drifted node works on. */
export interface DriftSearch {
  /** Those that Drift has no obstacle for. */
  readonly candidates: readonly Candidate[];
  readonly budgets: BudgetCounter;
  readonly simulator: Simulator;
  readonly state: Pick<DisruptionState, 'pools'>;
  readonly clock: Pick<SteadyClock, 'elapsed'>;
  /** As returned by the last search. */
  readonly lookedAt: LookedAt;
  /** Expired nodes are replaced in the same way (spec 09 B2); `Drift` if left out. */
  readonly method?: 'Drift' | 'Expiration';
}

/**
 * Provider ids of candidates that searches which ran out of time looked at in vain, as long as there are others. They
 * are looked at last, so that each candidate has its turn.
 */
export type LookedAt = ReadonlySet<string>;

/** What Drift found. */
export interface DriftFindings {
  /** Undefined if none of the candidates can be disrupted now. */
  readonly command: Command | undefined;
  /** Candidates with pods that would have no place. */
  readonly unschedulable: readonly UnschedulableCandidate[];
  /** For the next search. Empty unless this one ran out of time. */
  readonly lookedAt: LookedAt;
}

interface UnschedulableCandidate {
  readonly candidate: Candidate;
  readonly errors: readonly SimulationError[];
}

/**
 * Looks for one drifted node that can be replaced (spec 04 §9.3): the first whose pods all have a place elsewhere, be it
 * on as many new nodes as they need, at any price. Rejects if it was aborted or a simulation failed.
 */
export async function findDriftedNode(search: DriftSearch, signal: AbortSignal): Promise<DriftFindings> {
  const { candidates, budgets, simulator, state, clock, method = 'Drift' } = search;
  const unschedulable: UnschedulableCandidate[] = [];
  const ids = candidates.map(({ stateNode }) => stateNode.providerId);
  let lookedAt = new Set(ids.filter((id) => search.lookedAt.has(id)));
  const deadline = clock.elapsed() + SEARCH_LIMIT;
  for (const candidate of inDriftOrder(candidates, lookedAt, ORDERS[method])) {
    if (!budgets.admits(candidate)) continue;
    if (clock.elapsed() >= deadline) return { command: undefined, unschedulable, lookedAt };
    const { providerId } = candidate.stateNode;
    if (lookedAt.has(providerId)) lookedAt = new Set(); // all others had their turn: a new round begins
    lookedAt.add(providerId);
    const simulation = await simulator.simulate([candidate], signal);
    if (simulation === 'CandidateIsDeleting') continue;
    if (simulation.errors.length === 0) {
      return { command: replaceNode(candidate, simulation.plan, state, method), unschedulable, lookedAt: NONE };
    }
    unschedulable.push({ candidate, errors: simulation.errors });
  }
  return { command: undefined, unschedulable, lookedAt: NONE };
}

/**
 * Those first that have been drifted for the longest time, but before them those without pods that need another node:
 * otherwise pods would move to empty drifted nodes and have to move again.
 */
export function inDriftOrder(
  candidates: readonly Candidate[],
  lookedAt: LookedAt = NONE,
  byTime = byDriftTime,
): readonly Candidate[] {
  const hasPods = (candidate: Candidate) => (candidate.reschedulablePods.length > 0 ? 1 : 0);
  const wasSeen = ({ stateNode }: Candidate) => (lookedAt.has(stateNode.providerId) ? 1 : 0);
  return byTime(candidates).toSorted((a, b) => wasSeen(a) - wasSeen(b) || hasPods(a) - hasPods(b));
}

const ORDERS = { Drift: byDriftTime, Expiration: byExpiry } as const;
const REASONS = { Drift: 'Drifted', Expiration: 'Expired' } as const;

function replaceNode(
  candidate: Candidate,
  plan: Plan,
  state: Pick<DisruptionState, 'pools'>,
  method: 'Drift' | 'Expiration',
): Command {
  return {
    method,
    reason: REASONS[method],
    consolidationType: '',
    candidates: [candidate],
    replacements: replacementsOf(plan, state),
    plan,
    savings: candidate.price - plan.newNodes.reduce((sum, { pricePerHour }) => sum + pricePerHour, 0),
  };
}

const NONE: LookedAt = new Set();
