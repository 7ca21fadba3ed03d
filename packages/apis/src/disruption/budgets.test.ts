import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedDisruptions, findBudgetProblems, neverFires, UNLIMITED } from './budgets.ts';
import type { Budget } from '../kinds/core/node-pool.ts';

const SUNDAY = Date.parse('2024-01-07T00:00:00Z');
const HOUR = 3_600_000;

function allowed(budgets: readonly Budget[], { reason = 'Empty', nodeCount = 10, now = SUNDAY } = {}): number {
  return allowedDisruptions({ budgets, reason: reason as 'Empty', nodeCount, now }).nodes;
}

test('01/40 a percentage rounds up, a number stays', () => {
  assert.equal(allowed([{ nodes: '5%' }], { nodeCount: 10 }), 1);
  assert.equal(allowed([{ nodes: '100%' }], { nodeCount: 100 }), 100);
  assert.equal(allowed([{ nodes: '10' }], { nodeCount: 3 }), 10);
  assert.equal(allowed([{ nodes: '0%' }]), 0);
  assert.equal(allowed([]), UNLIMITED);
});

test('01/41 inactive budgets do not limit, and unreadable ones allow nothing', () => {
  const nightly: Budget = { nodes: '0', schedule: '0 3 * * *', duration: '1h' };
  assert.equal(allowed([nightly, nightly]), UNLIMITED);

  const wrong: Budget = { nodes: '5', schedule: '@wrongly', duration: '1h', reasons: ['Drifted'] };
  const answer = allowedDisruptions({ budgets: [nightly, wrong], reason: 'Empty', nodeCount: 10, now: SUNDAY });
  assert.deepEqual(answer, {
    nodes: 0,
    problems: [
      { index: 1, field: 'schedule', message: 'invariant violated, invalid cron, unrecognized descriptor: @wrongly' },
    ],
  });

  const [problem] = findBudgetProblems([{ nodes: '1000a%' }]);
  assert.equal(
    problem?.message,
    'invalid value for IntOrString: invalid value "1000a%": strconv.Atoi: parsing "1000a": invalid syntax',
  );
  assert.equal(allowed([{ nodes: '1000a%' }]), 0);
  assert.match(findBudgetProblems([{ nodes: 'ten' }])[0]?.message ?? '', /string is not a percentage$/);
});

test('01/42 the smallest budget for the reason counts; an empty list of reasons is for none', () => {
  const budgets: readonly Budget[] = [
    { nodes: '10' },
    { nodes: '5', reasons: ['Drifted'] },
    { nodes: '4', reasons: ['Empty'] },
  ];
  for (const more of [[], [{ nodes: '0', reasons: [] }]]) {
    const all = [...budgets, ...more];
    assert.equal(allowed(all, { reason: 'Empty' }), 4);
    assert.equal(allowed(all, { reason: 'Drifted' }), 5);
    assert.equal(allowed(all, { reason: 'Underutilized' }), 10);
  }
});

test('01/43 04/39 04/40 04/41 a budget is active from a hit for its duration, in UTC', () => {
  const daily: Budget = { nodes: '0', schedule: '@daily', duration: '48h' };
  for (const hours of [0, 1, 23, 47]) assert.equal(allowed([daily], { now: SUNDAY + hours * HOUR }), 0);

  const morning: Budget = { nodes: '0', schedule: '30 6 * * SUN', duration: '6h' };
  assert.equal(allowed([morning], { now: SUNDAY }), UNLIMITED);
  assert.equal(allowed([morning], { now: SUNDAY + 6.5 * HOUR - 1 }), UNLIMITED);
  assert.equal(allowed([morning], { now: SUNDAY + 6.5 * HOUR }), 0);
  assert.equal(allowed([morning], { now: SUNDAY + 12.5 * HOUR - 1 }), 0);
  assert.equal(allowed([morning], { now: SUNDAY + 12.5 * HOUR }), UNLIMITED);
});

test('01/44 04/42 a range that runs backwards is named', () => {
  const [problem] = findBudgetProblems([{ nodes: '1', schedule: '0 0 * * tue-mon', duration: '1h' }]);
  assert.match(problem?.message ?? '', /beginning of range \(2\) beyond end of range \(1\)/);
});

test('04/169 a stepped star restricts the days, so that one of both rules is enough', () => {
  const odd: Budget = { nodes: '0', schedule: '0 0 */2 * mon', duration: '1h' };
  const on = (day: string) => allowed([odd], { now: Date.parse(`2026-06-${day}T00:30:00Z`) });
  // The 3rd is a Wednesday and odd, the 8th a Monday and even, the 10th neither.
  assert.deepEqual(['03', '08', '10'].map(on), [0, 0, UNLIMITED]);
});

test('01/45 a schedule that never fires counts as active and is found', () => {
  assert.equal(allowed([{ nodes: '0', schedule: '0 0 31 2 *', duration: '1h' }]), 0);
  assert.equal(neverFires('0 0 31 2 *'), true);
  assert.equal(neverFires('0 0 29 2 *'), false);
  assert.equal(neverFires('@wrongly'), false);
});
