import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { findExceededBudgets } from './node-budgets.ts';
import { command, History } from './testing/history.ts';

const FOUR = ['a', 'b', 'c', 'd'];

/** Four nodes that have been there for a while, in a pool with these budgets. */
async function fourNodes(...budgets: readonly object[]): Promise<History> {
  const history = new History();
  history.setPool({ consolidateAfter: '0s', budgets });
  history.addNodes(...FOUR);
  await history.pass(5 * MINUTE);
  return history;
}

function violations(history: History, ...args: Parameters<typeof command>): readonly string[] {
  return findExceededBudgets(history.cluster, command(...args), history.moment()).map(({ detail }) => detail);
}

test('a command may take as many nodes as the budget allows, and no more', async () => {
  const history = await fourNodes({ nodes: '50%' });
  assert.deepEqual(violations(history, 'Empty', ['a', 'b']), []);
  assert.deepEqual(violations(history, 'Empty', ['a', 'b', 'c']), [
    '3 nodes of pool are disrupted for Empty, and 2 may be',
  ]);
});

test('nodes of another command count, and so do nodes that are not ready or being deleted', async () => {
  const history = await fourNodes({ nodes: '2' });
  history.setClaim('b', 'Initialized', 'DisruptionReason');
  assert.deepEqual(violations(history, 'Drifted', ['a']), []);
  history.setNode('c', { ready: 'Unknown' });
  await history.pass(30 * SECOND);
  assert.equal(violations(history, 'Drifted', ['a']).length, 1);
  history.setNode('c');
  history.setClaimWith('d', { deletionTimestamp: 'now' }, 'Initialized');
  await history.pass(30 * SECOND);
  assert.equal(violations(history, 'Drifted', ['a']).length, 1);
});

test('what happened only just now cannot have been known', async () => {
  const history = await fourNodes({ nodes: '1' });
  history.setNode('c', { ready: 'Unknown' });
  await history.pass(10 * SECOND);
  assert.deepEqual(violations(history, 'Drifted', ['a']), []);
  history.setPool({ consolidateAfter: '0s', budgets: [{ nodes: '0' }] });
  assert.deepEqual(violations(history, 'Drifted', ['a']), []);
  await history.pass(20 * SECOND);
  assert.equal(violations(history, 'Drifted', ['a']).length, 1);
});

test('a node whose instance is being terminated is neither in the total nor disrupted', async () => {
  const history = await fourNodes({ nodes: '1' });
  history.setClaimWith('b', { deletionTimestamp: 'now' }, 'Initialized', 'InstanceTerminating', 'DisruptionReason');
  await history.pass(30 * SECOND);
  assert.deepEqual(violations(history, 'Drifted', ['a']), []);
});

test('a budget counts for its reasons, and in its windows', async () => {
  const history = await fourNodes(
    { nodes: '0', reasons: ['Drifted'] },
    { nodes: '0', reasons: ['Empty'], schedule: '10 * * * *', duration: '5m' },
    { nodes: '0', reasons: ['Underutilized'], schedule: '*/10 * * * *', duration: '2m' },
  );
  const verdicts = () =>
    ['Drifted', 'Empty', 'Underutilized'].map((r) => violations(history, r as 'Empty', ['a']).length);
  assert.deepEqual(verdicts(), [1, 0, 0]); // 12:05
  await history.pass(6 * MINUTE);
  assert.deepEqual(verdicts(), [1, 1, 1]);
  await history.pass(2 * MINUTE);
  assert.deepEqual(verdicts(), [1, 1, 0]);
  await history.pass(3 * MINUTE);
  assert.deepEqual(verdicts(), [1, 0, 0]);
});
