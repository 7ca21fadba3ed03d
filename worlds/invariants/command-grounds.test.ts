import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DO_NOT_DISRUPT } from '@karpenter-ts/apis';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { findWrongCandidates } from './command-grounds.ts';
import { command, History } from './testing/history.ts';

const KEEP = { [DO_NOT_DISRUPT]: 'true' };
const WAIT = 1 * MINUTE;

/** A node that has been there for a while. */
async function oneNode(disruption?: object): Promise<History> {
  const history = new History();
  history.setPool(disruption);
  history.addNodes('a');
  await history.pass(WAIT);
  return history;
}

function verdict(history: History, reason: Parameters<typeof command>[0]): string {
  const found = findWrongCandidates(history.cluster, command(reason, ['a']), history.moment());
  return found.map(({ invariant, detail }) => `${invariant}: ${detail}`).join();
}

test('a node without pods is empty, and so is one with pods that need no other node', async () => {
  const history = await oneNode();
  assert.equal(verdict(history, 'Empty'), '');
  history.addPod('daemon', 'a', { owner: 'DaemonSet' });
  history.addPod('done', 'a', { phase: 'Succeeded' });
  await history.pass(WAIT);
  assert.equal(verdict(history, 'Empty'), '');
});

test('a node with a pod is not empty, unless the pod has only just come', async () => {
  const history = await oneNode();
  history.addPod('app', 'a');
  assert.equal(verdict(history, 'Empty'), '');
  await history.pass(WAIT);
  assert.equal(verdict(history, 'Empty'), 'reason: a is disrupted as Empty, but pod app runs on it');
});

test('a pod that is not to be disrupted keeps its node', async () => {
  const history = await oneNode();
  history.setClaim('a', 'Initialized', 'Drifted');
  history.addPod('kept', 'a', { annotations: KEEP });
  await history.pass(WAIT);
  for (const reason of ['Empty', 'Underutilized', 'Drifted'] as const) {
    assert.equal(verdict(history, reason), 'blocked: a is disrupted, but pod kept is not to be disrupted');
  }
});

test('protection for a time ends with that time, whatever the clock of the operator says later', async () => {
  const history = await oneNode();
  history.addPod('kept', 'a', { annotations: { [DO_NOT_DISRUPT]: '3m' } });
  await history.pass(WAIT);
  assert.match(verdict(history, 'Underutilized'), /^blocked/);
  const ahead = history.moment({ walls: [history.clock.now(), history.clock.now() + 10 * MINUTE] });
  assert.deepEqual(findWrongCandidates(history.cluster, command('Underutilized', ['a']), ahead), []);
  await history.pass(3 * MINUTE);
  assert.equal(verdict(history, 'Underutilized'), '');
});

test('a Node that is not to be disrupted stays', async () => {
  const history = await oneNode();
  history.setNode('a', { annotations: KEEP });
  assert.equal(verdict(history, 'Empty'), '');
  await history.pass(WAIT);
  assert.equal(verdict(history, 'Empty'), 'blocked: a is disrupted, but its Node is not to be disrupted');
});

test('a pod whose budget allows no eviction keeps its node, unless the budget has only just been used up', async () => {
  const history = await oneNode();
  history.addPod('app', 'a');
  history.setPodDisruptionBudget(1);
  await history.pass(WAIT);
  history.setPodDisruptionBudget(0);
  assert.equal(verdict(history, 'Underutilized'), '');
  await history.pass(WAIT);
  assert.equal(verdict(history, 'Underutilized'), 'blocked: a is disrupted, but no pod like app may be evicted');
});

test('drift may wait for a deadline, so that neither pods nor budgets keep the node', async () => {
  const history = await oneNode();
  const nodeClaim = history.cluster.findClaim('a')!.nodeClaim;
  const conditions = [{ type: 'Drifted', status: 'True' }] as never;
  history.cluster.setNodeClaim('a', {
    ...nodeClaim,
    spec: { ...nodeClaim.spec, terminationGracePeriod: '5m' },
    status: { ...nodeClaim.status, conditions },
  });
  history.addPod('kept', 'a', { annotations: KEEP });
  history.setPodDisruptionBudget(0);
  await history.pass(WAIT);
  assert.equal(verdict(history, 'Drifted'), '');
  assert.match(verdict(history, 'Underutilized'), /^blocked/);
});

test('drift is a condition of the NodeClaim, now or a moment ago', async () => {
  const history = await oneNode();
  assert.equal(verdict(history, 'Drifted'), 'reason: a is disrupted as Drifted, but it has not drifted');
  history.setClaim('a', 'Initialized', 'Drifted');
  await history.pass(WAIT);
  history.setClaim('a', 'Initialized');
  assert.equal(verdict(history, 'Drifted'), '');
  await history.pass(WAIT);
  assert.match(verdict(history, 'Drifted'), /^reason/);
});

test('what a pool says of consolidation is done', async () => {
  const never = await oneNode({ consolidateAfter: 'Never' });
  assert.match(verdict(never, 'Empty'), /its pool is not consolidated/);
  const whenEmpty = await oneNode({ consolidateAfter: '0s', consolidationPolicy: 'WhenEmpty' });
  assert.equal(verdict(whenEmpty, 'Empty'), '');
  assert.match(verdict(whenEmpty, 'Underutilized'), /its pool is only relieved of empty nodes/);
});

test('a node is left in peace for a while after a pod has come', async () => {
  const history = await oneNode({ consolidateAfter: '5m' });
  history.addPod('app', 'a');
  await history.pass(2 * MINUTE);
  assert.match(verdict(history, 'Underutilized'), /pod app came only 120 s ago/);
  const afterJump = history.moment({ steadySince: history.clock.now() - 10 * SECOND });
  assert.deepEqual(findWrongCandidates(history.cluster, command('Underutilized', ['a']), afterJump), []);
  await history.pass(3 * MINUTE);
  assert.equal(verdict(history, 'Underutilized'), '');
});
