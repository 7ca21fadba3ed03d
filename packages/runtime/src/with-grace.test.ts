import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND } from './clock.ts';
import { VirtualClock } from './virtual-clock.ts';
import { withGrace } from './with-grace.ts';

for (const isAborted of [true, false]) {
  const when = isAborted ? 'before it begins' : 'meanwhile';
  test(`work whose signal is aborted ${when} has the grace to end, and no more`, async () => {
    const clock = new VirtualClock();
    const reason = new Error('stop');
    const stop = new AbortController();
    if (isAborted) stop.abort(reason);
    const outcome = (seconds: number) =>
      withGrace(clock, 1 * SECOND, stop.signal, (signal) => clock.sleep(seconds * SECOND, signal)).catch(
        (error: unknown) => error,
      );
    const outcomes = Promise.all([outcome(0.9), outcome(1.1)]);
    stop.abort(reason);
    await clock.advance(2 * SECOND);
    assert.deepEqual(await outcomes, [undefined, reason]);
  });
}

test('nothing is left behind of work that has ended', async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  let given: AbortSignal | undefined;
  await withGrace(clock, 1 * SECOND, stop.signal, async (signal) => {
    given = signal;
  });
  stop.abort();
  await clock.advance(2 * SECOND);
  assert.equal(given?.aborted, false);
});
