import type { BudgetCounter } from '../budgets/budget-allowances.ts';
import type { Candidate } from '../candidates/candidate.ts';
import { type Approval, findMultiNode, type MultiNodeFindings, type MultiNodeSearch } from './multi-node.ts';
import { priceOf } from './offer.ts';

/** A search for several nodes to consolidate at once that does not stop at the first candidates of all. */
export interface SubsetSearch<A extends Approval> extends Omit<MultiNodeSearch<A>, 'budgets'> {
  /** Budgets as they are before anything is taken from them, anew for each group. */
  readonly budgets: () => BudgetCounter;
}

/**
 * Searches among candidates that have more in common (spec 09 A3): those of a NodePool, then those of them in a zone,
 * then those of these that are of one instance type. The first candidates of all may include one whose pods can go
 * nowhere, which makes every larger set impossible; nodes that are alike tend to go together. Among them those that cost
 * most come first, and the first in which a set is found ends the search.
 */
export async function findSubset<A extends Approval>(
  search: SubsetSearch<A>,
  signal: AbortSignal,
): Promise<MultiNodeFindings<A>> {
  let last: MultiNodeFindings<A> = NOTHING_FOUND;
  for (const candidates of groupsOf(search.candidates)) {
    const findings = await findMultiNode({ ...search, candidates, budgets: search.budgets() }, signal);
    const replaceable = [...last.replaceable, ...findings.replaceable];
    last = { ...findings, rejected: findings.rejected ?? last.rejected, replaceable };
    if (findings.found !== undefined || findings.timedOutAt !== undefined) return last;
  }
  return last;
}

const NOTHING_FOUND = { found: undefined, rejected: undefined, replaceable: [], timedOutAt: undefined };

/** Groups of at least two, large ones first. A group that is no smaller than the one it is a part of is left out. */
function groupsOf(candidates: readonly Candidate[]): readonly (readonly Candidate[])[] {
  const groups: (readonly Candidate[])[] = [];
  let wholes: readonly (readonly Candidate[])[] = [candidates];
  for (const keyOf of KEYS) {
    const splits = wholes.map((whole) => [...Map.groupBy(whole, keyOf).values()]);
    const smaller = splits.filter(({ length }) => length > 1).flat();
    groups.push(...smaller.filter(({ length }) => length > 1).sort(byPrice));
    wholes = splits.flat();
  }
  return groups;
}

const KEYS: readonly ((candidate: Candidate) => string)[] = [
  ({ pool }) => pool.nodePool.metadata.name,
  ({ zone }) => zone,
  ({ instanceType }) => instanceType?.name ?? '',
];

function byPrice(a: readonly Candidate[], b: readonly Candidate[]): number {
  return priceOf(b) - priceOf(a);
}
