import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BudgetCounter } from '../budgets/budget-allowances.ts';
import type { Candidate } from '../candidates/candidate.ts';
import { chooseOption } from '../consolidation/consolidation-option.ts';
import { contextOf, disruptionPool, makeCandidate, pricedType, simulationOf } from '../testing/candidates.ts';
import { type CheckedCandidates, checkCandidates, checkEmptyNodes, findPlanFailure } from './validation.ts';
import { categoryOf, renderValidationFailure } from './validation-text.ts';

const [SMALL, MIDDLE, LARGE] = [pricedType('small', 1), pricedType('middle', 2), pricedType('large', 3)];
const POOL = disruptionPool([SMALL, MIDDLE, LARGE]);
const [A, B] = [makeCandidate('a', POOL, LARGE, { price: 3 }), makeCandidate('b', POOL, LARGE, { price: 3 })];

/** The state after the wait: these candidates, so much budget, these nominated. */
function fresh(eligible: readonly Candidate[], remaining: number, nominated: readonly Candidate[] = []) {
  const budgets = new BudgetCounter({
    byPool: new Map([['default', { allowed: remaining, disrupting: 0, remaining }]]),
  });
  const ids = new Set(nominated.map(({ stateNode }) => stateNode.providerId));
  return { eligible, budgets, state: { isNominated: ({ providerId }: { providerId: string }) => ids.has(providerId) } };
}

const outcome = (checked: CheckedCandidates) =>
  checked.isValid
    ? [checked.candidates.length, checked.dropped]
    : [checked.failure.category, renderValidationFailure(checked.failure), checked.dropped];

test('a consolidation whose candidates are still candidates goes on with their current objects', () => {
  const again = makeCandidate('a', POOL, LARGE, { price: 3 });
  const checked = checkCandidates({ candidates: [A] }, fresh([B, again], 1));
  assert.ok(checked.isValid);
  assert.deepEqual(checked.candidates, [again]);
});

test('04/127 04/130 a candidate that is none any more is churn', () => {
  const text = '1 candidates are no longer valid';
  assert.deepEqual(outcome(checkCandidates({ candidates: [A, B] }, fresh([B], 9))), ['churn', text, 2]);
});

test('04/129 a budget that closes ends the command, and all its candidates are counted', () => {
  const text = 'a candidate can no longer be disrupted without violating budgets';
  for (const [candidates, remaining] of [
    [[A], 0],
    [[A, B], 1],
  ] as const) {
    const failed = outcome(checkCandidates({ candidates }, fresh([A, B], remaining)));
    assert.deepEqual(failed, ['budget', text, candidates.length]);
  }
});

test('a nominated candidate ends the command', () => {
  const failed = outcome(checkCandidates({ candidates: [A, B] }, fresh([A, B], 9, [B])));
  assert.deepEqual(failed, ['budget', 'a candidate was nominated during validation', 2]);
});

test('empty nodes that may not go any more are dropped, the others go', () => {
  assert.deepEqual(outcome(checkEmptyNodes({ candidates: [A, B] }, fresh([A, B], 9))), [2, 0]);
  assert.deepEqual(outcome(checkEmptyNodes({ candidates: [A, B] }, fresh([A, B], 1))), [1, 1]);
  assert.deepEqual(outcome(checkEmptyNodes({ candidates: [A, B] }, fresh([B], 9))), [1, 0]);
  const text =
    '2 candidates failed validation because it they were nominated for a pod or would violate disruption budgets';
  assert.deepEqual(outcome(checkEmptyNodes({ candidates: [A, B] }, fresh([A, B], 1, [A, B]))), ['budget', text, 2]);
  const gone = outcome(checkEmptyNodes({ candidates: [A, B] }, fresh([], 9)));
  assert.deepEqual(gone, ['churn', '2 candidates are no longer valid', 2]);
});

/** The consolidation of `a` for a simulation, and whether it holds against another one. */
function recheck(
  before: readonly (readonly (typeof SMALL)[])[],
  after: readonly (readonly (typeof SMALL)[])[],
  price = 3,
) {
  const context = contextOf([POOL]);
  const option = chooseOption([A], simulationOf(POOL, before), context);
  assert.ok(option.decision !== 'no-op');
  const candidate = makeCandidate('a', POOL, LARGE, { price });
  const failure = findPlanFailure(option, [candidate], simulationOf(POOL, after), context);
  return failure && [categoryOf(failure), renderValidationFailure(failure)];
}

const NEW_RESULTS = ['scheduling', 'scheduling simulation produced new results'];

test('04/128 a command holds if as many nodes of the same types or more would be bought', () => {
  assert.equal(recheck([], []), undefined);
  assert.equal(recheck([[SMALL]], [[SMALL]]), undefined);
  assert.equal(recheck([[SMALL]], [[SMALL, LARGE]]), undefined);
  assert.deepEqual(recheck([[SMALL, MIDDLE]], [[MIDDLE, LARGE]]), NEW_RESULTS);
  assert.deepEqual(recheck([[SMALL]], []), NEW_RESULTS);
  assert.deepEqual(recheck([], [[SMALL]]), NEW_RESULTS);
  assert.deepEqual(recheck([[SMALL]], [[SMALL], [SMALL]]), NEW_RESULTS);
});

test('a replacement that is not cheaper any more is not bought, while upstream looks at prices once', () => {
  assert.equal(recheck([[SMALL, MIDDLE]], [[SMALL, MIDDLE]], 2.1), undefined);
  assert.deepEqual(recheck([[SMALL, MIDDLE]], [[SMALL, MIDDLE]], 2), NEW_RESULTS);
});

test('a replacement whose NodePool is gone or would not be chosen now is not bought, whatever other pools offer', () => {
  const other = disruptionPool([SMALL, MIDDLE], { name: 'other' });
  const option = chooseOption([A], simulationOf(other, [[SMALL, MIDDLE]]), contextOf([POOL, other]));
  assert.ok(option.decision !== 'no-op');
  const recheckIn = (chosen: typeof POOL, ...pools: readonly (typeof POOL)[]) => {
    const failure = findPlanFailure(option, [A], simulationOf(chosen, [[SMALL, MIDDLE]]), contextOf(pools));
    return failure && [categoryOf(failure), renderValidationFailure(failure)];
  };
  assert.deepEqual(recheckIn(POOL, POOL), NEW_RESULTS);
  assert.deepEqual(recheckIn(POOL, POOL, other), NEW_RESULTS);
  assert.deepEqual(recheckIn(POOL, POOL, disruptionPool([SMALL], { name: 'other' })), NEW_RESULTS);
  assert.equal(recheckIn(other, POOL, other), undefined);
});

test('a candidate that somebody deletes meanwhile is churn, pods without a place are a matter of scheduling', () => {
  const context = contextOf([POOL]);
  const command = { replacements: [] };
  assert.deepEqual(findPlanFailure(command, [A], 'CandidateIsDeleting', context), { category: 'churn', missing: 1 });
  const pod = { metadata: { name: 'p', namespace: 'default' }, spec: {} };
  const errors = [{ pod, kind: 'Unschedulable' as const, failure: { why: 'NoPools' as const } }];
  const failure = findPlanFailure(command, [A], { ...simulationOf(POOL, []), errors }, context)!;
  assert.equal(
    renderValidationFailure(failure),
    'not all pods would schedule, default/p => no dynamic nodepools found ',
  );
  assert.equal(categoryOf(failure), 'scheduling');
});

test('04/187 without a failure that has a name the category is unknown', () => {
  assert.equal(categoryOf(undefined), 'unknown');
});
