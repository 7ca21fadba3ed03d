import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { CronError, nextCronHit, parseCron } from './cron.ts';

/** Written by robfig/cron v3.0.1, asked as upstream asks it, with `TZ=UTC` in front: an error, or the hit after each instant. */
interface Golden {
  readonly instants: readonly string[];
  readonly schedules: Readonly<Record<string, string | readonly (string | null)[]>>;
}
const golden: Golden = JSON.parse(readFileSync(new URL('cron.golden.json', import.meta.url), 'utf8'));

const MINUTE = 60_000;
const hit = (text: string, after: string): string | undefined => {
  const next = nextCronHit(parseCron(text), Date.parse(after));
  return next === undefined ? undefined : new Date(next).toISOString();
};

test('every schedule is refused or hits as in robfig/cron', () => {
  for (const [text, expected] of Object.entries(golden.schedules)) {
    if (typeof expected === 'string') {
      assert.throws(() => parseCron(text), { name: 'CronError', message: expected }, text);
      continue;
    }
    golden.instants.forEach((instant, i) => {
      const wanted = expected[i] === null ? undefined : new Date(`${expected[i]}Z`).toISOString();
      assert.equal(hit(text, instant), wanted, `${text} after ${instant}`);
    });
  }
});

test('01/44 a range that runs backwards is refused', () => {
  assert.throws(() => parseCron('0 0 * * tue-mon'), {
    message: 'beginning of range (2) beyond end of range (1): tue-mon',
  });
});

test('01/45 a schedule that cannot hit has no next hit', () => {
  assert.equal(hit('0 0 31 2 *', '2026-01-01T00:00:00Z'), undefined);
});

test('the hit is after the instant, not at it', () => {
  assert.equal(hit('@hourly', '2026-03-01T05:00:00Z'), '2026-03-01T06:00:00.000Z');
  assert.equal(hit('@hourly', '2026-03-01T04:59:59.999Z'), '2026-03-01T05:00:00.000Z');
});

test('both days restricted means either, and a step over one makes a star a restriction', () => {
  assert.equal(hit('0 0 13 * 5', '2026-02-28T00:00:00Z'), '2026-03-06T00:00:00.000Z');
  assert.equal(hit('0 0 13 * *', '2026-02-28T00:00:00Z'), '2026-03-13T00:00:00.000Z');
  assert.equal(hit('0 0 */1 * 5', '2026-02-28T00:00:00Z'), '2026-03-06T00:00:00.000Z');
  assert.equal(hit('0 0 */2 * 5', '2026-02-28T00:00:00Z'), '2026-03-01T00:00:00.000Z');
});

test('a time zone in the text counts as a field too many, since upstream has put its own before it', () => {
  assert.throws(() => parseCron('TZ=Asia/Tokyo 0 0 * * *'), {
    message: 'expected exactly 5 fields, found 6: [TZ=Asia/Tokyo 0 0 * * *]',
  });
});

test('the next hit is the first minute that matches', () => {
  const field = (min: number, max: number) =>
    fc.oneof(
      fc.constant('*'),
      fc.integer({ min, max }).map(String),
      fc.tuple(fc.integer({ min, max }), fc.integer({ min: 1, max })).map(([start, step]) => `${start}/${step}`),
    );
  const instant = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) });
  fc.assert(
    fc.property(field(0, 59), field(0, 23), field(0, 6), instant, (minute, hour, weekday, after) => {
      const isIn = (text: string, value: number): boolean => {
        const [start, step] = text.split('/').map(Number);
        if (text === '*') return true;
        return step === undefined ? value === start : value >= start! && (value - start!) % step === 0;
      };
      const next = nextCronHit(parseCron(`${minute} ${hour} * * ${weekday}`), after)!;
      let at = (Math.floor(after / MINUTE) + 1) * MINUTE;
      for (; ; at += MINUTE) {
        const date = new Date(at);
        if (!isIn(weekday, date.getUTCDay()) || !isIn(hour, date.getUTCHours())) continue;
        if (isIn(minute, date.getUTCMinutes())) break;
      }
      assert.equal(next, at);
    }),
  );
});

test('a megabyte of anything is refused at once', () => {
  const start = performance.now();
  for (const char of ['1', '*', ' ', ',', '-', '/', '1,', '* ', '@', '@every ', '\u00e9', '"']) {
    assert.throws(() => parseCron(`${char.repeat(2 ** 20)}!`), CronError);
  }
  assert.throws(() => parseCron(`${'9'.repeat(2 ** 20)} * * * *`), /value out of range$/);
  assert.ok(performance.now() - start < 5000);
});
