import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimeZone } from '@karpenter-ts/kubernetes';
import type { Budget } from '../kinds/core/node-pool.ts';
import { nextBudgetChange } from './budget-changes.ts';
import { allowedDisruptions } from './budgets.ts';

const at = (text: string) => Date.parse(`${text}Z`);

function next(budgets: readonly Budget[], now: string, timeZone?: TimeZone): string | undefined {
  const change = nextBudgetChange({ budgets, reason: 'Drifted', now: at(now), timeZone });
  return change === undefined ? undefined : new Date(change).toISOString().slice(0, 16);
}

const NINE_TO_FIVE: Budget = { nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h' };

test('09/72 a budget with a schedule changes when it begins, and when it ends', () => {
  assert.equal(next([NINE_TO_FIVE], '2026-07-06T08:00'), '2026-07-06T09:00');
  assert.equal(next([NINE_TO_FIVE], '2026-07-06T09:00'), '2026-07-06T17:00');
  assert.equal(next([NINE_TO_FIVE], '2026-07-06T17:00'), '2026-07-07T09:00');
  assert.equal(next([NINE_TO_FIVE], '2026-07-10T17:00'), '2026-07-13T09:00'); // over the weekend
});

test('the earliest change of all budgets for the reason counts', () => {
  const daily: Budget = { nodes: '1', schedule: '@daily', duration: '1h' };
  assert.equal(next([NINE_TO_FIVE, daily, { nodes: '10%' }], '2026-07-06T18:00'), '2026-07-07T00:00');
  assert.equal(next([NINE_TO_FIVE, { ...daily, reasons: ['Empty'] }], '2026-07-06T18:00'), '2026-07-07T09:00');
});

test('periods that follow one another without a pause are one', () => {
  const twice: Budget = { nodes: '0', schedule: '0 9,13 * * *', duration: '4h' };
  assert.equal(next([twice], '2026-07-06T10:00'), '2026-07-06T17:00');
  assert.equal(next([{ nodes: '0', schedule: '* * * * *', duration: '1h' }], '2026-07-06T10:00'), undefined);
});

test('what does not depend on the time never changes', () => {
  assert.equal(next([{ nodes: '10%' }], '2026-07-06T10:00'), undefined);
  assert.equal(next([{ nodes: '0', schedule: '0 0 30 2 *', duration: '1h' }], '2026-07-06T10:00'), undefined);
  assert.equal(next([{ nodes: '0', schedule: '@every 1h', duration: '30m' }], '2026-07-06T10:00'), undefined);
  const unreadable: Budget = { nodes: '1', schedule: 'nonsense', duration: '1h' };
  assert.equal(next([NINE_TO_FIVE, unreadable], '2026-07-06T10:00'), undefined);
});

test('what is allowed is the same until the next change, and differs at it, in any time zone', () => {
  const zones = [undefined, TimeZone.find('Europe/Berlin'), TimeZone.find('America/New_York')];
  const budget: Budget = { nodes: '0', schedule: '30 1 * * *', duration: '2h' };
  for (const timeZone of zones) {
    // Over the days on which clocks change.
    for (let now = at('2026-03-07T00:00'); now < at('2026-04-02T00:00'); now += 7 * 60 * 60_000) {
      const allowed = (instant: number) =>
        allowedDisruptions({ budgets: [budget], reason: 'Drifted', nodeCount: 5, now: instant, timeZone }).nodes;
      const change = nextBudgetChange({ budgets: [budget], reason: 'Drifted', now, timeZone })!;
      assert.ok(change > now);
      assert.notEqual(allowed(change), allowed(now));
      for (let earlier = now; earlier < change; earlier += 60_000) assert.equal(allowed(earlier), allowed(now));
    }
  }
});
