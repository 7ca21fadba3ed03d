import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR } from './clock.ts';
import { realClock } from './real-clock.ts';

test('a timer longer than setTimeout can hold waits its whole time', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let fired = 0;
  realClock.after(30 * 24 * HOUR, () => fired++);
  for (let day = 0; day < 29; day++) t.mock.timers.tick(24 * HOUR);
  assert.equal(fired, 0);
  for (let hour = 0; hour < 48; hour++) t.mock.timers.tick(HOUR);
  assert.equal(fired, 1);
});

test('cancelling works in any of the pieces a long timer is made of', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let fired = 0;
  const cancel = realClock.after(60 * 24 * HOUR, () => fired++);
  t.mock.timers.tick(59 * 24 * HOUR);
  cancel();
  t.mock.timers.tick(24 * HOUR);
  assert.equal(fired, 0);
});

test('the real clock sleeps, wakes early on abort, and measures with fractions', async () => {
  const before = realClock.elapsed();
  await realClock.sleep(2);
  assert.ok(realClock.elapsed() - before > 0.9);
  const stop = new AbortController();
  const nap = realClock.sleep(HOUR, stop.signal);
  stop.abort(new Error('stop'));
  await assert.rejects(nap, /stop/);
  assert.ok(Math.abs(realClock.now() - Date.now()) < 1000);
  const work = Promise.resolve(1);
  assert.equal(realClock.track(work), work);
});
