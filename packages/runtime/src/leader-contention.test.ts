import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lateWrites, runContest } from './testing/lease-contest.ts';

// Fifty stops, and the proof that this can fail: leader-contention.long.ts.
test('two processes, stopped and woken at random, do not write in each other’s term', { timeout: 60_000 }, async () => {
  const report = await runContest(5, 'fenced');
  // Stopped between asking the fence and writing to the socket, a process is late with that one request.
  for (const [writer, count] of lateWrites(report)) assert.ok(count <= 1, `${writer} was late ${count} times`);
  assert.ok(report.writes.length > 100, `only ${report.writes.length} writes`);
});
