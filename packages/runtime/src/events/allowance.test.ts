import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Allowance } from './allowance.ts';

const INTERVAL = 64; // milliseconds per token: a power of two, so that the model below is exact

test('it lets through exactly what a bucket of tokens would', () => {
  const waits = fc.array(fc.nat({ max: 3 * INTERVAL }));
  fc.assert(
    fc.property(waits, fc.integer({ min: 1, max: 4 }), (delays, burst) => {
      const allowance = new Allowance({ perSecond: 1000 / INTERVAL, burst });
      let tokens = burst;
      let elapsed = 0;
      for (const delay of delays) {
        elapsed += delay;
        tokens = Math.min(burst, tokens + delay / INTERVAL);
        const isThere = tokens >= 1;
        if (isThere) tokens--;
        assert.equal(allowance.tryTake(elapsed), isThere);
      }
    }),
  );
});
