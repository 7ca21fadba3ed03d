import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeClaim } from '@karpenter-ts/apis';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import type { PriceRange } from '../observer/price-list.ts';
import { Replacements } from './replacements.ts';
import { command, History } from './testing/history.ts';

const PRICES: Readonly<Record<string, number>> = { dear: 4, other: 4, cheap: 3, cheapest: 1 };
function priceOf({ metadata }: NodeClaim): PriceRange | undefined {
  const price = PRICES[metadata.labels?.['price'] ?? ''];
  return price === undefined ? undefined : { least: price, most: price };
}
type Reason = Parameters<typeof command>[0];

/** A command that replaces these nodes by one, and has marked them. */
async function replace(reason: Reason, ...nodes: readonly string[]) {
  let isEnding = false;
  const history = new History();
  history.setPool();
  history.addNodes(...nodes);
  await history.pass(1 * MINUTE);
  const replacements = new Replacements(history.cluster, priceOf, () => isEnding);
  replacements.started(command(reason, nodes, 1), history.clock.now());
  await history.pass(1 * SECOND);
  for (const node of nodes) history.setClaim(node, 'Initialized', 'DisruptionReason');
  return {
    history,
    verdict: () => replacements.deleting(nodes[0]!, history.moment()).map((one) => one.detail),
    endInstance: () => {
      isEnding = true;
    },
  };
}

test('a node goes once its replacement is initialised', async () => {
  const { history, verdict } = await replace('Drifted', 'cheap');
  const missing = ['cheap is deleted while 1 of its replacements are not initialised'];
  assert.deepEqual(verdict(), missing);
  history.setClaim('dear', 'Launched');
  assert.deepEqual(verdict(), missing);
  history.setClaim('dear', 'Launched', 'Initialized');
  assert.deepEqual(verdict(), []);
});

test('a node whose instance the cloud takes back goes before its replacement is there', async () => {
  const { verdict, endInstance } = await replace('Drifted', 'cheap');
  assert.equal(verdict().length, 1);
  endInstance();
  assert.deepEqual(verdict(), []);
});

test('a replacement that was initialised and is gone again counts', async () => {
  const { history, verdict } = await replace('Drifted', 'cheap');
  history.setClaim('dear', 'Initialized');
  await history.pass(1 * SECOND);
  history.cluster.setNodeClaim('dear', undefined);
  assert.deepEqual(verdict(), []);
});

test('a replacement for consolidation is cheaper than all that it replaces', async () => {
  const single = await replace('Underutilized', 'cheap');
  single.history.setClaim('dear', 'Initialized');
  assert.deepEqual(single.verdict(), ['cheap cost $3 an hour, and the replacements $4']);
  single.history.setClaim('cheapest', 'Initialized'); // one of the two is the replacement
  assert.deepEqual(single.verdict(), []);
  const multi = await replace('Underutilized', 'cheap', 'cheapest');
  multi.history.setClaim('dear', 'Initialized');
  assert.equal(multi.verdict().length, 1);
  const equal = await replace('Underutilized', 'dear');
  equal.history.setClaim('other', 'Initialized');
  assert.equal(equal.verdict().length, 1);
});

test('a node that goes for another cause is not judged', async () => {
  const { history, verdict } = await replace('Drifted', 'cheap');
  assert.equal(verdict().length, 1);
  history.setNode('cheap', { ready: 'Unknown' });
  assert.deepEqual(verdict(), []);
  history.setNode('cheap');
  history.setClaimWith('cheap', { deletionTimestamp: 'now' }, 'DisruptionReason');
  assert.deepEqual(verdict(), []);
  history.setClaim('cheap', 'Initialized');
  assert.deepEqual(verdict(), []);
});

test('a command without replacements deletes at once', async () => {
  const history = new History();
  history.setPool();
  history.addNodes('a');
  const replacements = new Replacements(history.cluster, priceOf, () => false);
  replacements.started(command('Empty', ['a']), history.clock.now());
  history.setClaim('a', 'Initialized', 'DisruptionReason');
  assert.deepEqual(replacements.deleting('a', history.moment()), []);
});
