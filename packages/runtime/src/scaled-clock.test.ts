import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, SECOND } from './clock.ts';
import { scaledClock } from './scaled-clock.ts';
import { VirtualClock } from './virtual-clock.ts';

test('a scaled clock starts at the time it is, and runs as many times as fast', async () => {
  const clock = new VirtualClock();
  await clock.advance(1 * HOUR);
  const fast = scaledClock(clock, 10);
  assert.deepEqual([fast.now(), fast.elapsed()], [clock.now(), 0]);
  const begun = fast.now();
  await clock.advance(1 * MINUTE);
  assert.deepEqual([fast.now() - begun, fast.elapsed()], [10 * MINUTE, 10 * MINUTE]);
});

test('its timers fire when it says so, and not once cancelled', async () => {
  const clock = new VirtualClock();
  const fast = scaledClock(clock, 60);
  const fired: string[] = [];
  fast.after(1 * MINUTE, () => fired.push('minute'));
  const cancel = fast.after(1 * SECOND, () => fired.push('cancelled'));
  void fast.sleep(2 * MINUTE).then(() => fired.push('slept'));
  cancel();
  await clock.advance(0.999 * SECOND);
  assert.deepEqual(fired, []);
  await clock.advance(0.001 * SECOND);
  assert.deepEqual(fired, ['minute']);
  await clock.advance(1 * SECOND);
  assert.deepEqual(fired, ['minute', 'slept']);
});
