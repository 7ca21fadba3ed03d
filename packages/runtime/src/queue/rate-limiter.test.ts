import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MINUTE, SECOND } from '../clock.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { BackOff } from './back-off.ts';
import { scaleBucket, scaleConcurrency } from './concurrency.ts';
import { DEFAULT_RETRIES, REASONABLE_RETRIES, rateLimiter, SINGLETON_RETRIES } from './rate-limiter.ts';

const noJitter = (): number => 0;

test('05/37 concurrency grows in a straight line from 1 to 60 cores', () => {
  const scaled = [0.5, 1, 1.5, 15, 60, 100].map((cores) => scaleConcurrency(cores, { min: 10, max: 1000 }));
  assert.deepEqual(scaled, [10, 10, 26, 244, 1000, 1000]);
});

test('05/38 a bucket keeps its share of the concurrency, rounded up, and bursts to ten times that', () => {
  const scaled = [
    [10, 10, 10],
    [10, 10, 20],
    [10, 100, 100],
    [10, 100, 200],
    [25, 100, 150],
  ].map(([minQps, min, concurrency]) => scaleBucket(concurrency!, { minQps: minQps!, min: min! }));
  assert.deepEqual(
    scaled.map(({ qps }) => qps),
    [10, 20, 10, 20, 38],
  );
  for (const { qps, burst } of scaled) assert.equal(burst, qps * 10);
});

test('05/39 delays double from the base to the cap, each key on its own, and start over once forgotten', () => {
  const limiter = rateLimiter<string>(DEFAULT_RETRIES, new VirtualClock(), noJitter);
  const delays = Array.from({ length: 20 }, () => limiter.delayFor('a'));
  assert.deepEqual(delays.slice(0, 5), [5, 10, 20, 40, 80]);
  assert.deepEqual(delays.slice(-3), [655_360, 1000 * SECOND, 1000 * SECOND]);
  assert.equal(limiter.delayFor('b'), 5);
  limiter.forget('a');
  assert.equal(limiter.delayFor('a'), 5);
});

test('a delay is at most a tenth shorter than its nominal one, and never above the cap', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat({ max: 2000 }), (random, failures) => {
      const backOff = new BackOff<string>({ base: 100, cap: 1 * MINUTE }, () => random);
      let delay = 0;
      for (let i = 0; i <= failures; i++) delay = backOff.delayFor('key');
      const nominal = Math.min(100 * 2 ** failures, 1 * MINUTE);
      assert.ok(delay <= nominal && delay > nominal * 0.9);
    }),
    { numRuns: 50 },
  );
});

test('without a random source of its own a back-off spreads keys that failed together', () => {
  const backOff = new BackOff<number>({ base: 1000, cap: 1000 });
  assert.ok(new Set(Array.from({ length: 50 }, (_, key) => backOff.delayFor(key))).size > 1);
});

test('the longer of the back-off and the bucket holds', async () => {
  const clock = new VirtualClock();
  const limiter = rateLimiter<number>(SINGLETON_RETRIES, clock, noJitter);
  for (let key = 0; key < 100; key++) assert.equal(limiter.delayFor(key), 5); // the burst
  assert.equal(limiter.delayFor(100), 100); // 10 a second from here on
  assert.equal(limiter.delayFor(101), 200);
  await clock.advance(1 * SECOND);
  assert.equal(limiter.delayFor(102), 5); // ten dripped in, two were owed
  assert.equal(limiter.delayFor(102), 10);
});

test('an idle bucket never holds more than its burst', async () => {
  const clock = new VirtualClock();
  const limiter = rateLimiter<number>(REASONABLE_RETRIES, clock, noJitter);
  await clock.advance(10 * MINUTE);
  const delays = Array.from({ length: 102 }, (_, key) => limiter.delayFor(key));
  assert.equal(delays.filter((delay) => delay === 100).length, 101); // the 101st owes the bucket just 100 ms, too
  assert.equal(delays[101], 200);
});
