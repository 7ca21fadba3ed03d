import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan, PlannedNode } from '../plan.ts';
import { CHEAPEST } from '../testing/packing.ts';
import { decide } from './decision.ts';

const nodes = (...prices: readonly number[]) =>
  prices.map((pricePerHour) => ({ nodePool: 'default', pricePerHour }) as PlannedNode);
const taken = (before: readonly number[], after: readonly number[], minGain: number, fee = 0) =>
  decide({ newNodes: nodes(...before) } as unknown as Plan, nodes(...after), new Map([['default', fee]]), {
    ...CHEAPEST,
    minGain,
  }).packing!.taken === 'cost-aware';

test('another plan is taken if it saves what it must, to the last part, and something at all', () => {
  assert.equal(taken([1], [0.95], 0.05), true);
  assert.equal(taken([1], [0.9501], 0.05), false);
  assert.equal(taken([0.3], [0.1, 0.2], 0), false); // the same but for rounding
  assert.equal(taken([1], [0.999], 0), true);
  assert.equal(taken([1], [1], 0), false);
  assert.equal(taken([1], [1.1], 0), false);
});

test('fees count for every node on both sides', () => {
  assert.equal(taken([1], [0.4, 0.4], 0, 0.19), true);
  assert.equal(taken([1], [0.4, 0.4], 0, 0.21), false);
  assert.equal(taken([0.4, 0.4], [0.9], 0, 0.11), true);
});
