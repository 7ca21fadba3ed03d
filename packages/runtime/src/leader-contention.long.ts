// Takes a minute and a half: run by `npm run test:long`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lateWrites, runContest, writers } from './testing/lease-contest.ts';

test('stopped at fifty random points, a leader is late with at most the request in its socket', async () => {
  const report = await runContest(50, 'fenced');
  for (const [writer, count] of lateWrites(report)) assert.ok(count <= 1, `${writer} was late ${count} times`);
  assert.ok(writers(report) > 10, `leadership changed hands only ${writers(report)} times`);
});

test('without the fence the same contest catches former leaders writing on', async () => {
  const report = await runContest(20, 'unfenced');
  assert.ok(Math.max(0, ...lateWrites(report).values()) > 1);
});
