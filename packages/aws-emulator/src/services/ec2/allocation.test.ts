import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Candidate, inOrder, type Strategy } from './allocation.ts';

const POOLS: readonly (Candidate & { readonly name: string })[] = [
  { name: 'cheap and shallow', price: 1, priority: 3, depth: 0.1 },
  { name: 'fair and deep', price: 2, priority: 2, depth: 0.5 },
  { name: 'dear and deepest', price: 3, priority: 1, depth: 0.9 },
  { name: 'unknown', price: Infinity, priority: Infinity, depth: 0 },
];

const orderOf = (strategy: Strategy): readonly string[] =>
  inOrder(POOLS, strategy).map(({ name }) => name.split(' ')[0]!);

test('each strategy has its order of pools', () => {
  assert.deepEqual(orderOf('lowest-price'), ['cheap', 'fair', 'dear', 'unknown']);
  assert.deepEqual(orderOf('prioritized'), ['dear', 'fair', 'cheap', 'unknown']);
  assert.deepEqual(orderOf('price-capacity-optimized'), ['fair', 'dear', 'cheap', 'unknown']);
  assert.deepEqual(orderOf('capacity-optimized'), ['dear', 'fair', 'cheap', 'unknown']);
  assert.deepEqual(orderOf('capacity-optimized-prioritized'), ['dear', 'fair', 'cheap', 'unknown']);
});

test('pools of one price are tried from the deepest', () => {
  const zones = [0.2, 0.8, 0.5].map((depth) => ({ price: 1, priority: Infinity, depth }));
  assert.deepEqual(
    inOrder(zones, 'lowest-price').map(({ depth }) => depth),
    [0.8, 0.5, 0.2],
  );
});
