import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ageOf, formatHumanDuration } from './human-duration.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test('a span is told in as few figures as it needs', () => {
  const cases: readonly [number, string][] = [
    [-2 * SECOND, '<invalid>'],
    [-1.5 * SECOND, '0s'],
    [0, '0s'],
    [119.9 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [9 * MINUTE + 59 * SECOND, '9m59s'],
    [10 * MINUTE + 30 * SECOND, '10m'],
    [179 * MINUTE, '179m'],
    [3 * HOUR, '3h'],
    [7 * HOUR + 59 * MINUTE, '7h59m'],
    [8 * HOUR + 30 * MINUTE, '8h'],
    [47 * HOUR, '47h'],
    [2 * DAY, '2d'],
    [7 * DAY + 23 * HOUR, '7d23h'],
    [8 * DAY + 5 * HOUR, '8d'],
    [729 * DAY, '729d'],
    [730 * DAY, '2y'],
    [731 * DAY, '2y1d'],
    [8 * 365 * DAY + DAY, '8y'],
  ];
  for (const [span, text] of cases) assert.equal(formatHumanDuration(span), text);
});

test('an instant that is not known has no age', () => {
  assert.equal(ageOf(null, 0), '<unknown>');
  assert.equal(ageOf('1970-01-01T00:00:00Z', 5 * SECOND), '5s');
});
