import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NodeClaim } from '@karpenter-ts/apis';
import type { Client } from '@karpenter-ts/runtime';
import { DEFAULT_PLANNING, EMPTY_SNAPSHOT, finish, planSnapshot } from '@karpenter-ts/scheduling';
import { DEFAULT_TYPES } from '@karpenter-ts/scheduling/testing';
import { pendingPod, readyPool } from '../testing/cluster-objects.ts';
import { createNodeClaims, type Order } from './nodeclaim-creation.ts';
import { toNodeClaim } from './planned-nodeclaim.ts';
import { TimeSlices } from '../state/time-slices.ts';
import { startProvisioningEnvironment } from './testing/provisioning-environment.ts';

/** What buys one node, in a cluster with one pool. */
async function startShop(t: Parameters<typeof startProvisioningEnvironment>[0]) {
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('default')]);
  const pool = { nodePool: env.caches.nodePools.get('default')!, instanceTypes: DEFAULT_TYPES };
  const snapshot = { ...EMPTY_SNAPSHOT, pools: [pool], pods: [pendingPod('a')] };
  const { newNodes } = finish(planSnapshot(snapshot, { ...DEFAULT_PLANNING, profile: env.provider.profile }));
  const orders: readonly Order[] = newNodes.map((planned) => ({
    nodeClaim: toNodeClaim(planned, pool, env.deps),
    pods: planned.pods,
  }));
  const slices = new TimeSlices(env.clock, new AbortController().signal);
  const buy = (client: Client, bought: readonly Order[], tellsPods: boolean) =>
    createNodeClaims({ ...env.deps, client }, bought, { reason: 'test', tellsPods }, slices, env.logger);
  return { env, orders, buy };
}

/** Creates one NodeClaim with a server that answers, but whose watch tells nobody. */
async function create(t: Parameters<typeof startProvisioningEnvironment>[0], tellsPods: boolean) {
  const { env, orders, buy } = await startShop(t);
  const answer = async (_type: unknown, nodeClaim: NodeClaim) => ({
    ...nodeClaim,
    metadata: { ...nodeClaim.metadata, name: 'c' },
  });
  const names = await buy({ create: answer } as unknown as Client, orders, tellsPods);
  await env.clock.flush();
  return { env, names };
}

test('a NodeClaim is waited for from the moment the server has it', async (t) => {
  const { env, names } = await create(t, true);
  assert.deepEqual(names, ['c']);
  assert.equal(env.cluster.isUnlaunched('c'), true);
  assert.equal(env.cluster.hasSynced(), false);
});

test('why a NodeClaim was created is counted, and pods are told only where that is wanted', async (t) => {
  const { env } = await create(t, false);
  const series = 'karpenter_nodeclaims_created_total{min_values_relaxed="false",nodepool="default",reason="test"}';
  assert.equal(await env.metric(series), 1);
  assert.deepEqual(env.eventsOn('a'), []);
  assert.equal(env.cluster.decisions.find('default/a')?.nodeClaim, 'c');
});

test('however many NodeClaims are to be created, a bounded number of requests is under way', async (t) => {
  const { orders, buy } = await startShop(t);
  const held: (() => void)[] = [];
  let asked = 0;
  const create = async (_type: unknown, nodeClaim: NodeClaim): Promise<NodeClaim> => {
    const name = `c-${asked++}`;
    await new Promise<void>((resolve) => held.push(resolve));
    return { ...nodeClaim, metadata: { ...nodeClaim.metadata, name } };
  };
  const bought = Array.from({ length: 1000 }, () => orders[0]!);
  const names = buy({ create } as unknown as Client, bought, false);
  const most: number[] = [];
  for (let rounds = 0; asked < bought.length || held.length > 0; rounds++) {
    assert.ok(rounds < 1000, `${asked} of ${bought.length} claims were asked for`);
    await nextTurn();
    most.push(held.length);
    for (const answer of held.splice(0, 50)) answer();
  }
  assert.equal(Math.max(...most), 128);
  assert.deepEqual(
    await names,
    bought.map((_, index) => `c-${index}`),
  );
});
