import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DO_NOT_DISRUPT } from '@karpenter-ts/apis';
import { MINUTE } from '@karpenter-ts/runtime';
import { findLeftovers } from './leftovers.ts';
import { History } from './testing/history.ts';

async function twoNodes(disruption?: object): Promise<History> {
  const history = new History();
  history.setPool(disruption);
  history.addNodes('a', 'b');
  history.addPod('app', 'b');
  await history.pass(5 * MINUTE);
  return history;
}

function details(history: History): readonly string[] {
  return findLeftovers(history.cluster, history.moment()).map(({ detail }) => detail);
}

test('an empty node and a drifted one are left over as long as they stay', async () => {
  const history = await twoNodes();
  assert.deepEqual(details(history), ['a is Empty and stays']);
  history.setClaim('b', 'Initialized', 'Drifted');
  assert.deepEqual(details(history), ['a is Empty and stays', 'b is Drifted and stays']);
  history.setClaimWith('a', { deletionTimestamp: 'now' }, 'Initialized');
  history.setClaim('b', 'Initialized');
  assert.deepEqual(details(history), []);
});

test('a pool that is not consolidated, or whose budget is closed or used up, keeps its nodes', async () => {
  assert.deepEqual(details(await twoNodes({ consolidateAfter: 'Never', budgets: [] })), []);
  assert.deepEqual(details(await twoNodes({ consolidateAfter: '0s', budgets: [{ nodes: '0' }] })), []);
  const history = await twoNodes({ consolidateAfter: '0s', budgets: [{ nodes: '1' }] });
  assert.equal(details(history).length, 1);
  history.setNode('b', { ready: 'False' });
  assert.deepEqual(details(history), []);
});

test('a node that something keeps is not left over', async () => {
  const history = await twoNodes();
  history.addPod('daemon', 'a', { owner: 'DaemonSet', annotations: { [DO_NOT_DISRUPT]: 'true' } });
  assert.deepEqual(details(history), []);
});
