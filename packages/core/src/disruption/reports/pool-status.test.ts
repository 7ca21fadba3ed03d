import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_POOLS, type NodePool } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@karpenter-ts/kubernetes';
import { HOUR, SECOND } from '@karpenter-ts/runtime';
import { makeNodePool } from '../../testing/objects.ts';
import { startTestEnvironment } from '../../testing/test-environment.ts';
import { countNodes } from '../budgets/budget-allowances.ts';
import { node, poolOf, stateOf } from '../testing/cluster-state.ts';
import { readyPool } from '../../testing/cluster-objects.ts';
import { findAllAllowances } from './pass-reports.ts';
import { findPoolDisruptions, LastPoolDisruptions, poolStatusController } from './pool-status.ts';

const NOON = Date.parse('2026-07-06T12:00:00Z');

test('09/72 the status names what each reason allows and when a budget or a window next begins or ends', () => {
  const budgets = [
    { nodes: '50%' },
    { nodes: '1', reasons: ['Drifted' as const], schedule: '0 18 * * *', duration: '2h' },
  ];
  const pool = readyPool('default', {
    disruption: { budgets, consolidateAfter: '0s', consolidationPolicy: 'WhenEmptyOrUnderutilized' },
  });
  const nodes = [node('a'), node('b'), node('c', { ready: 'False' }), node('d')];
  const state = stateOf({ nodes, pools: [poolOf(pool)], now: NOON });
  const allowances = findAllAllowances({ state, nodeCounts: countNodes(state.stateNodes) });
  assert.deepEqual(findPoolDisruptions(state, allowances).get('default'), {
    reasons: [
      { reason: 'Empty', allowed: 2, disrupting: 1 },
      { reason: 'Drifted', allowed: 2, disrupting: 1, nextChange: '2026-07-06T18:00:00Z' },
      { reason: 'Underutilized', allowed: 2, disrupting: 1 },
    ],
  });
});

const FOUND = { reasons: [{ reason: 'Drifted', allowed: 1, disrupting: 0, nextChange: '2026-07-06T18:00:00Z' }] };

async function start(t: Parameters<typeof startTestEnvironment>[0], parts: object = {}) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider(), ...parts });
  await env.create(NODE_POOLS, makeNodePool('default'));
  const last = new LastPoolDisruptions();
  const status = async () => (await env.get<NodePool>(NODE_POOLS, 'default')).status;
  return { env, last, status, controller: poolStatusController(env, last) };
}

test('what a pass has found is written to the status once, and other members of the status stay', async (t) => {
  const { env, last, status, controller } = await start(t);
  assert.deepEqual(await env.reconcile(controller, 'default'), { requeueAfter: 10 * SECOND });
  assert.equal((await status())?.disruption, undefined); // no pass yet
  const before = await status();
  last.note(new Map([['default', FOUND]]));
  await env.reconcile(controller, 'default');
  assert.deepEqual(await status(), { nodes: 0, ...before, disruption: FOUND });
  env.writes.length = 0;
  await env.reconcile(controller, 'default');
  assert.deepEqual(env.writes, []);
  last.note(new Map([['default', { reasons: [{ ...FOUND.reasons[0]!, allowed: 0 }] }]]));
  await env.reconcile(controller, 'default');
  assert.equal((await status())?.disruption?.reasons?.[0]?.allowed, 0);
});

test("09/72 with upstream's CRD, which drops the field, it is tried once an hour and nothing fails", async (t) => {
  const { env, last, status, controller } = await start(t);
  const path = '/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/disruption';
  const name = `${NODE_POOLS.plural}.${NODE_POOLS.group}`;
  await env.client.patch(CUSTOM_RESOURCE_DEFINITIONS, { name }, { type: 'json', body: [{ op: 'remove', path }] });
  last.note(new Map([['default', FOUND]]));
  env.writes.length = 0;
  for (let i = 0; i < 3; i++) {
    assert.deepEqual(await env.reconcile(controller, 'default'), { requeueAfter: 10 * SECOND });
  }
  assert.equal(env.writes.length, 1);
  assert.equal((await status())?.disruption, undefined);
  await env.clock.advance(HOUR);
  await env.reconcile(controller, 'default');
  assert.equal(env.writes.length, 2);
});

test('nothing is written while the extension is off', async (t) => {
  const { env, last, controller } = await start(t, { options: { extensions: new Set(['B1']) } });
  last.note(new Map([['default', FOUND]]));
  env.writes.length = 0;
  await env.reconcile(controller, 'default');
  assert.deepEqual(env.writes, []);
});
