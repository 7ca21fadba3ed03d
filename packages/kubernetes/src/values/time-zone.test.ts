import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimeZone, timeZoneNames } from './time-zone.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const utc = (instants: readonly number[]) => instants.map((one) => new Date(one).toISOString().slice(0, 16));

function zone(name: string): TimeZone {
  const found = TimeZone.find(name);
  assert.ok(found, name);
  return found;
}

test('clocks show local time, in summer and in winter', () => {
  const berlin = zone('Europe/Berlin');
  assert.equal(berlin.wallClock(at('2026-07-01T12:00:30')), at('2026-07-01T14:00:30'));
  assert.equal(berlin.wallClock(at('2026-01-01T12:00:00')), at('2026-01-01T13:00:00'));
  assert.equal(zone('Asia/Kolkata').wallClock(at('2026-01-01T12:00')), at('2026-01-01T17:30'));
  assert.equal(zone('UTC').wallClock(at('2026-01-01T12:00')), at('2026-01-01T12:00'));
});

test('a wall clock is one instant, two in a repeated hour, and none in a skipped one', () => {
  const berlin = zone('Europe/Berlin');
  assert.deepEqual(utc(berlin.instantsOf(at('2026-07-01T14:00'))), ['2026-07-01T12:00']);
  assert.deepEqual(utc(berlin.instantsOf(at('2026-10-25T02:30'))), ['2026-10-25T00:30', '2026-10-25T01:30']);
  assert.deepEqual(utc(berlin.instantsOf(at('2026-10-25T03:00'))), ['2026-10-25T02:00']);
  assert.deepEqual(utc(berlin.instantsOf(at('2026-03-29T02:30'))), []);
  assert.deepEqual(utc([berlin.firstInstantOf(at('2026-03-29T02:30'))]), ['2026-03-29T01:00']);
  assert.deepEqual(utc([berlin.lastInstantOf(at('2026-03-29T02:30'))]), ['2026-03-29T01:00']);
  assert.deepEqual(utc([berlin.lastInstantOf(at('2026-10-25T02:30'))]), ['2026-10-25T01:30']);
});

test('half an hour can be skipped, too, and the other half of the earth skips in October', () => {
  const howe = zone('Australia/Lord_Howe');
  assert.deepEqual(utc([howe.firstInstantOf(at('2026-10-04T02:10'))]), ['2026-10-03T15:30']);
  assert.deepEqual(utc(howe.instantsOf(at('2026-04-05T01:45'))), ['2026-04-04T14:45', '2026-04-04T15:15']);
});

test('every instant of a year is found by its wall clock in all zones', () => {
  for (const name of [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Africa/Casablanca',
  ]) {
    const one = zone(name);
    for (let instant = at('2026-01-01T00:00'); instant < at('2027-01-01T00:00'); instant += 45 * 60_000) {
      assert.ok(one.instantsOf(one.wallClock(instant)).includes(instant), `${name} ${instant}`);
    }
  }
});

test('what is no zone is not taken for one, and the names that are offered all are', () => {
  for (const name of ['', 'Europe/Berln', '+01:00', 'Local', 'Mars/Olympus']) {
    assert.equal(TimeZone.find(name), undefined, name);
  }
  assert.equal(TimeZone.find('Europe/Kiev')?.name, 'Europe/Kiev');
  assert.ok(timeZoneNames().includes('Europe/Berlin'));
  assert.deepEqual(
    timeZoneNames().filter((name) => TimeZone.find(name) === undefined),
    [],
  );
});
