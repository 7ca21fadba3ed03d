import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Budget, UNLIMITED, type WindowReason } from '@karpenter-ts/apis';
import { allowedNodes } from './allowed-nodes.ts';
import { disruptionPool } from '../testing/candidates.ts';

const at = (text: string) => Date.parse(`${text}Z`);

function pool(budgets: readonly Budget[], annotations: Readonly<Record<string, string>> = {}) {
  const disruption = { budgets, consolidateAfter: '0s', consolidationPolicy: 'WhenEmptyOrUnderutilized' } as const;
  return disruptionPool([], { annotations, disruption });
}

const allowed = (of: ReturnType<typeof pool>, reason: WindowReason, now: string) =>
  allowedNodes(of, { reason, nodeCount: 10, now: at(now) }).nodes;

const NIGHTS = { days: 'mon-thu', from: '22:00', to: '06:00', timeZone: 'Europe/Berlin' };
const INSIDE = '2026-07-06T21:00'; // Monday 23:00 in Berlin
const OUTSIDE = '2026-07-06T12:00';

test('09/29 the smaller of budget and window holds inside the window, and outside nothing is allowed', () => {
  const window = JSON.stringify([{ ...NIGHTS, reasons: ['Drifted'], nodes: '20%' }]);
  const one = pool([{ nodes: '10%' }], { 'disruption-windows': window });
  assert.equal(allowed(one, 'Drifted', INSIDE), 1);
  assert.equal(allowed(one, 'Drifted', OUTSIDE), 0);
  assert.equal(allowed(one, 'Underutilized', INSIDE), 1);
  assert.equal(allowed(one, 'Underutilized', OUTSIDE), 1);
  const generous = pool([{ nodes: '50%' }], { 'disruption-windows': window });
  assert.equal(allowed(generous, 'Drifted', INSIDE), 2);
});

test('09/33 a freeze allows nothing while it holds, also while a window is open', () => {
  const freeze = { from: '2026-07-06T00:00', to: '2026-07-07T12:00', freeze: true };
  const frozen = pool([], { 'disruption-windows': JSON.stringify([{ from: '00:00', to: '00:00' }, freeze]) });
  assert.equal(allowed(frozen, 'Drifted', INSIDE), 0);
  assert.equal(allowed(frozen, 'Drifted', '2026-07-07T12:00'), UNLIMITED);
});

test('09/32 windows and time zones that cannot be read allow nothing for their reasons', () => {
  const window = JSON.stringify([{ ...NIGHTS, timeZone: 'Europe/Berln' }]);
  assert.equal(allowed(pool([], { 'disruption-windows': window }), 'Drifted', INSIDE), 0);
  const scheduled = { nodes: '5', schedule: '@daily', duration: '1h', reasons: ['Drifted' as const] };
  const unreadable = pool([scheduled, { nodes: '3' }], { 'budget-time-zone': 'Europe/Berln' });
  assert.equal(allowed(unreadable, 'Drifted', OUTSIDE), 0);
  assert.equal(allowed(unreadable, 'Empty', OUTSIDE), 3);
});

test('09/31 budgets with a schedule follow the time zone that the annotation names', () => {
  const budget = { nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h' };
  const york = pool([budget], { 'budget-time-zone': 'America/New_York' });
  assert.deepEqual(
    ['12:59', '13:00', '20:59', '21:00'].map((time) => allowed(york, 'Empty', `2026-07-06T${time}`)),
    [UNLIMITED, 0, 0, UNLIMITED],
  );
  assert.deepEqual(
    ['13:59', '14:00', '21:59', '22:00'].map((time) => allowed(york, 'Empty', `2026-01-05T${time}`)),
    [UNLIMITED, 0, 0, UNLIMITED],
  );
  assert.equal(allowed(pool([budget]), 'Empty', '2026-07-06T12:59'), 0); // in UTC without it
});

test('expired nodes keep to the budgets of drifted ones and to windows that name them', () => {
  const budgets = [
    { nodes: '2', reasons: ['Drifted' as const] },
    { nodes: '1', reasons: ['Empty' as const] },
  ];
  assert.equal(allowed(pool(budgets), 'Expired', INSIDE), 2);
  const window = JSON.stringify([{ ...NIGHTS, reasons: ['Expired'] }]);
  assert.equal(allowed(pool(budgets, { 'disruption-windows': window }), 'Expired', OUTSIDE), 0);
  assert.equal(allowed(pool(budgets, { 'disruption-windows': window }), 'Drifted', OUTSIDE), 2);
});
