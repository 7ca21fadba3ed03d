import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISRUPTION_WINDOWS, BUDGET_TIME_ZONE, WINDOW_REASONS, type WindowReason } from './disruption-windows.ts';
import { allowedDisruptions, UNLIMITED } from '../disruption/budgets.ts';
import { problemOf, valueOf } from './extension-annotation.ts';
import { isCutOff, windowState } from './window-state.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const NIGHTS = { days: 'mon-thu', from: '22:00', to: '06:00', timeZone: 'Europe/Berlin' };

const pool = (key: string, text: string) => ({ metadata: { name: 'default', annotations: { [key]: text } } });

function windowsOf(...list: readonly unknown[]) {
  const windows = valueOf(DISRUPTION_WINDOWS, pool(DISRUPTION_WINDOWS.key, JSON.stringify(list)), 'all');
  assert.ok(windows);
  return windows;
}

const state = (list: readonly unknown[], now: string, reason: WindowReason = 'Drifted') =>
  windowState({ windows: windowsOf(...list), reason, nodeCount: 10, now: at(now) });

const verdict = (list: readonly unknown[], now: string, reason?: WindowReason) => {
  const { verdict: found } = state(list, now, reason);
  return found.kind === 'Open' ? found.nodes : found.kind;
};

const problem = (text: string) => problemOf(DISRUPTION_WINDOWS, pool(DISRUPTION_WINDOWS.key, text));
const problemWith = (window: unknown) => {
  const text = problem(JSON.stringify([window])) ?? '';
  return /^karpenter-ts\.dev\/disruption-windows: window 1: (.*); no node is disrupted$/.exec(text)?.[1] ?? text;
};

test('09/29 a weekly window past midnight belongs to the day on which it begins', () => {
  const list = [{ ...NIGHTS, reasons: ['Drifted'], nodes: '20%' }];
  assert.equal(verdict(list, '2026-07-06T19:59:59'), 'Closed'); // Monday 21:59:59 in Berlin
  assert.equal(verdict(list, '2026-07-06T20:00'), 2);
  assert.equal(verdict(list, '2026-07-07T03:59:59'), 2);
  assert.equal(verdict(list, '2026-07-07T04:00'), 'Closed');
  assert.equal(verdict(list, '2026-07-10T03:00'), 2); // Thursday's window on Friday
  assert.equal(verdict(list, '2026-07-10T21:00'), 'Closed'); // Friday has none
  assert.equal(verdict(list, '2026-07-13T03:00'), 'Closed'); // neither has Sunday
  assert.equal(verdict(list, '2026-07-06T12:00', 'Underutilized'), 'Unnamed');
});

test('09/30 a window that begins in the hour that is skipped opens after it', () => {
  const list = [{ days: 'sun', from: '02:30', to: '04:00', timeZone: 'Europe/Berlin' }];
  assert.equal(verdict(list, '2026-03-29T00:59:59'), 'Closed');
  assert.equal(verdict(list, '2026-03-29T01:00'), UNLIMITED);
  assert.equal(verdict(list, '2026-03-29T01:59:59'), UNLIMITED);
  assert.equal(verdict(list, '2026-03-29T02:00'), 'Closed');
});

test('09/30 a window in the hour that is repeated opens once and covers both', () => {
  const list = [{ from: '02:00', to: '03:00', timeZone: 'Europe/Berlin' }];
  assert.equal(verdict(list, '2026-10-24T23:59:59'), 'Closed');
  for (const open of ['00:00', '00:30', '01:00', '01:59:59'])
    assert.equal(verdict(list, `2026-10-25T${open}`), UNLIMITED);
  assert.equal(verdict(list, '2026-10-25T02:00'), 'Closed');
  assert.deepEqual(state(list, '2026-10-25T00:30').nextChange, at('2026-10-25T02:00'));
});

test('of the windows that are open the largest number of nodes counts, and no number is no limit', () => {
  const day = { from: '00:00', to: '00:00' };
  assert.equal(
    verdict(
      [
        { ...day, nodes: 3 },
        { ...day, nodes: '10%' },
      ],
      '2026-07-06T12:00',
    ),
    3,
  );
  assert.equal(verdict([{ ...day, nodes: '25%' }], '2026-07-06T12:00'), 3); // of ten, rounded up as budgets are
  assert.equal(verdict([{ ...day, nodes: '0' }], '2026-07-06T12:00'), 0);
  assert.equal(verdict([{ ...day, nodes: 3 }, day], '2026-07-06T12:00'), UNLIMITED);
});

test('09/33 a freeze wins over an open window, and a freeze alone closes nothing else', () => {
  const always = { from: '00:00', to: '00:00' };
  const freeze = { from: '2026-12-20T00:00', to: '2027-01-05T00:00', timeZone: 'Europe/Berlin', freeze: true };
  assert.equal(verdict([always, freeze], '2026-12-19T22:59:59'), UNLIMITED);
  assert.equal(verdict([always, freeze], '2026-12-19T23:00'), 'Frozen');
  assert.equal(verdict([always, freeze], '2027-01-04T23:00'), UNLIMITED);
  assert.equal(verdict([freeze], '2026-12-24T12:00'), 'Frozen');
  assert.equal(verdict([freeze], '2026-07-01T12:00'), 'Unnamed');
  assert.equal(verdict([freeze], '2026-12-24T12:00', 'Expired'), 'Unnamed');
});

test('the next change is the next time that a window opens or closes', () => {
  assert.equal(state([NIGHTS], '2026-07-10T12:00').nextChange, at('2026-07-13T20:00'));
  assert.equal(state([NIGHTS], '2026-07-13T20:00').nextChange, at('2026-07-14T04:00'));
  const past = { from: '2026-01-01T00:00', to: '2026-01-02T00:00', freeze: true };
  assert.equal(state([past], '2026-07-01T00:00').nextChange, undefined);
});

test('09/33 only a window with hard takes back what has begun', () => {
  const cut = (list: readonly unknown[], startedAt: string, now: string) =>
    isCutOff({ windows: windowsOf(...list), reason: 'Drifted', nodeCount: 10, now: at(now), startedAt: at(startedAt) });
  const hard = { ...NIGHTS, hard: true };
  assert.equal(cut([hard], '2026-07-07T03:59', '2026-07-07T03:59:59'), false);
  assert.equal(cut([hard], '2026-07-07T03:59', '2026-07-07T04:00'), true);
  assert.equal(cut([NIGHTS], '2026-07-07T03:59', '2026-07-07T04:00'), false);
  assert.equal(cut([hard, NIGHTS], '2026-07-07T03:59', '2026-07-07T04:00'), false);
  const freeze = { from: '2026-07-07T03:30', to: '2026-07-08T00:00', freeze: true };
  assert.equal(cut([NIGHTS, { ...freeze, hard: true }], '2026-07-07T03:00', '2026-07-07T03:31'), true);
  assert.equal(cut([hard, freeze], '2026-07-07T03:00', '2026-07-07T03:31'), false);
});

test('09/32 what cannot be read permits nothing, and the text names what may be meant', () => {
  const bad = pool(DISRUPTION_WINDOWS.key, JSON.stringify([{ ...NIGHTS, timeZone: 'Europe/Berln' }]));
  assert.equal(
    problemOf(DISRUPTION_WINDOWS, bad),
    'karpenter-ts.dev/disruption-windows: window 1: "Europe/Berln" is no time zone, did you mean Europe/Berlin?; no node is disrupted',
  );
  const windows = valueOf(DISRUPTION_WINDOWS, bad, 'all');
  assert.ok(windows);
  for (const reason of WINDOW_REASONS) {
    assert.equal(windowState({ windows, reason, nodeCount: 10, now: 0 }).verdict.kind, 'Unreadable');
  }
  assert.equal(
    problemOf(BUDGET_TIME_ZONE, pool(BUDGET_TIME_ZONE.key, 'Mars')),
    'karpenter-ts.dev/budget-time-zone: "Mars" is no time zone; no node is disrupted for the reasons of budgets with a schedule',
  );
});

test('every mistake in a window is told', () => {
  assert.match(problem('mon-fri') ?? '', /it is no JSON: /);
  assert.match(problem('{}') ?? '', /it is not a list of windows in JSON; no node is disrupted$/);
  assert.match(
    problem(JSON.stringify(Array.from({ length: 51 }, () => NIGHTS))) ?? '',
    /it has 51 windows, more than 50;/,
  );
  assert.equal(problem(JSON.stringify(Array.from({ length: 50 }, () => NIGHTS))), undefined);
  assert.equal(problemWith('always'), 'it is not an object');
  assert.match(
    problemWith({ ...NIGHTS, timezone: 'UTC' }),
    /^"timezone" is none of days, .*, did you mean timeZone\?$/,
  );
  assert.equal(
    problemWith({ ...NIGHTS, days: 'mon-fry' }),
    'days "mon-fry" is neither a day such as mon nor a range such as mon-thu',
  );
  assert.match(problemWith({ ...NIGHTS, from: '24:00' }), /^from "24:00" is neither a time such as 22:00 nor a date/);
  assert.match(problemWith({ from: '22:00' }), /^to "" is neither a time/);
  assert.equal(problemWith({ from: '2026-02-30T00:00', to: '2026-03-01T00:00' }), 'there is no "2026-02-30T00:00"');
  assert.equal(
    problemWith({ from: '2026-03-02T00:00', to: '2026-03-01T00:00' }),
    'to "2026-03-01T00:00" is not after from "2026-03-02T00:00"',
  );
  assert.equal(problemWith({ from: '22:00', to: '2026-03-01T00:00' }), 'from and to must both have a date, or neither');
  assert.equal(
    problemWith({ days: 'mon', from: '2026-03-01T00:00', to: '2026-03-02T00:00' }),
    'a window with dates has no days',
  );
  assert.equal(problemWith({ ...NIGHTS, reasons: [] }), 'reasons is not a list of reasons');
  assert.match(problemWith({ ...NIGHTS, reasons: ['Drited'] }), /^"Drited" is none of .*, did you mean Drifted\?$/);
  assert.equal(problemWith({ ...NIGHTS, nodes: '110%' }), 'nodes is neither a number nor a percentage such as 20%');
  assert.equal(problemWith({ ...NIGHTS, freeze: 'true' }), 'freeze is neither true nor false');
  assert.equal(problemWith({ ...NIGHTS, freeze: true, nodes: 1 }), 'a freeze permits no node, so it has no nodes');
});

test('days are names, ranges and lists, also past the end of the week', () => {
  const open = (days: string) =>
    ['05', '06', '07', '08', '09', '10', '11']
      .filter((day) => verdict([{ days, from: '10:00', to: '11:00' }], `2026-07-${day}T10:30`) !== 'Closed')
      .join();
  assert.equal(open('mon'), '06'); // the fifth is a Sunday
  assert.equal(open('fri-mon'), '05,06,10,11');
  assert.equal(open('Tue, thu-fri'), '07,09,10');
});

test('09/31 a budget in a time zone follows the clocks there in summer and winter', () => {
  const timeZone = valueOf(BUDGET_TIME_ZONE, pool(BUDGET_TIME_ZONE.key, 'America/New_York'), 'all');
  assert.ok(timeZone !== undefined && timeZone !== 'Unreadable');
  const budgets = [{ nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h' }];
  const allowed = (now: string) =>
    allowedDisruptions({ budgets, reason: 'Empty', nodeCount: 10, now: at(now), timeZone }).nodes;
  assert.equal(allowed('2026-07-06T12:59:59'), UNLIMITED);
  assert.equal(allowed('2026-07-06T13:00'), 0);
  assert.equal(allowed('2026-07-06T20:59:59'), 0);
  assert.equal(allowed('2026-07-06T21:00'), UNLIMITED);
  assert.equal(allowed('2026-01-05T13:59:59'), UNLIMITED);
  assert.equal(allowed('2026-01-05T14:00'), 0);
  assert.equal(allowed('2026-01-05T22:00'), UNLIMITED);
  assert.equal(allowed('2026-07-11T15:00'), UNLIMITED); // Saturday
});

test('a budget whose hour is skipped holds after it, and one whose hour is repeated holds both times', () => {
  const timeZone = valueOf(BUDGET_TIME_ZONE, pool(BUDGET_TIME_ZONE.key, 'Europe/Berlin'), 'all');
  assert.ok(timeZone !== undefined && timeZone !== 'Unreadable');
  const budgets = [{ nodes: '0', schedule: '30 2 * * *', duration: '1h' }];
  const blocked = (now: string) =>
    allowedDisruptions({ budgets, reason: 'Empty', nodeCount: 10, now: at(now), timeZone }).nodes === 0;
  assert.deepEqual(
    ['00:59', '01:00', '01:59', '02:00'].map((time) => blocked(`2026-03-29T${time}`)),
    [false, true, true, false],
  );
  assert.deepEqual(
    ['00:29', '00:30', '01:29', '01:30', '02:29', '02:30'].map((time) => blocked(`2026-10-25T${time}`)),
    [false, true, true, true, true, false],
  );
});
