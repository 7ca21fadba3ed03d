import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HOUR, SECOND } from './clock.ts';
import { VirtualClock } from './virtual-clock.ts';

test('time stands still until it is advanced, and starts above zero', async () => {
  const clock = new VirtualClock();
  const start = clock.now();
  assert.ok(start > 0);
  await clock.flush();
  assert.equal(clock.now(), start);
  await clock.advance(3 * SECOND);
  assert.equal(clock.now(), start + 3 * SECOND);
  assert.equal(clock.elapsed(), 3 * SECOND);
});

test('advancing fires what falls due in order of time, then of setting, and sees what that sets off', async () => {
  const clock = new VirtualClock(1000);
  const log: string[] = [];
  const note = (name: string) => () => log.push(`${name}@${clock.now()}`);
  clock.after(20, note('late'));
  clock.after(10, note('first of two'));
  clock.after(10, () => {
    note('second of two')();
    clock.after(5, note('set on the way'));
  });
  clock.after(31, note('beyond'));
  await clock.advance(30);
  assert.deepEqual(log, ['first of two@1010', 'second of two@1010', 'set on the way@1015', 'late@1020']);
});

test('any script of timers fires as a sorted list would', async () => {
  const delays = fc.array(fc.nat({ max: 50 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(delays, async (script) => {
      const clock = new VirtualClock();
      const fired: number[] = [];
      for (const delay of script) clock.after(delay, () => fired.push(delay));
      await clock.advance(50);
      assert.deepEqual(
        fired,
        [...script].sort((a, b) => a - b),
      );
    }),
    { numRuns: 50 },
  );
});

test('a cancelled timer never fires', async () => {
  const clock = new VirtualClock();
  let fired = false;
  clock.after(10, () => (fired = true))();
  await clock.advance(1 * HOUR);
  assert.equal(fired, false);
});

test('a sleeper that loops a thousand times ends at the sum of its naps', async () => {
  const clock = new VirtualClock();
  const start = clock.now();
  let naps = 0;
  const work = (async () => {
    for (; naps < 1000; naps++) await clock.sleep(7);
  })();
  await clock.advance(6999);
  assert.equal(naps, 999);
  await clock.advance(1);
  await work;
  assert.equal(clock.now() - start, 7000);
});

test('an aborted sleep rejects with the reason and leaves no timer behind', async () => {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const reason = new Error('enough');
  const nap = clock.sleep(10, stop.signal);
  stop.abort(reason);
  await assert.rejects(nap, reason);
  await assert.rejects(clock.sleep(10, stop.signal), reason);
  await assert.rejects(clock.runUntil(new Promise(() => {})), /nothing is left to run/);
});

test('time does not move while immediates, however long their chain, are queued', async () => {
  const clock = new VirtualClock(1000);
  let left = 50;
  let seen = 0;
  const hop = (): void => {
    seen = clock.now();
    if (--left > 0) setImmediate(hop);
  };
  clock.after(5, hop);
  clock.after(6, () => assert.equal(left, 0));
  await clock.advance(10);
  assert.equal(seen, 1005);
});

test('time does not move while tracked work is pending', async () => {
  const clock = new VirtualClock(1000);
  let answeredAt = 0;
  clock.after(5, () => {
    void clock
      .track(new Promise((resolve) => setTimeout(resolve, 20))) // stands for a socket: only real time ends it
      .then(() => (answeredAt = clock.now()));
  });
  await clock.advance(1 * HOUR);
  assert.equal(answeredAt, 1005);
});

test('two virtual clocks can move at the same time', async () => {
  const [a, b] = [new VirtualClock(1), new VirtualClock(1)];
  await Promise.all([a.advance(5), b.advance(6)]);
  assert.deepEqual([a.now(), b.now()], [6, 7]);
});

test('running until a promise settles moves just as far as it needs', async () => {
  const clock = new VirtualClock(1000);
  clock.after(1 * HOUR, () => assert.fail('beyond what was awaited'));
  assert.equal(await clock.runUntil(clock.sleep(90).then(() => clock.now())), 1090);
  await assert.rejects(clock.runUntil(clock.sleep(1).then(() => Promise.reject(new Error('boom')))), /boom/);
  assert.equal(clock.now(), 1091);
});

test('a second move while one runs is refused, and a timer that throws fails the move', async () => {
  const clock = new VirtualClock();
  const first = clock.advance(1);
  await assert.rejects(clock.advance(1), /already moving/);
  await first;
  clock.after(1, () => {
    throw new Error('in a timer');
  });
  await assert.rejects(clock.advance(1), /in a timer/);
  await clock.advance(1);
});
