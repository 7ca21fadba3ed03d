import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DO_NOT_DISRUPT, type NodePool } from '@karpenter-ts/apis';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import {
  type DisruptionEnvironment,
  NO_BUDGETS,
  startDisruptionEnvironment,
} from '../testing/disruption-environment.ts';

type Policy = NodePool['spec']['disruption']['consolidationPolicy'];

/** Pools of these policies with nodes whose pods would do with one. Single nodes are left alone. */
async function start(
  t: TestContext,
  policies: Readonly<Record<string, Policy>>,
  { nodes = 2 } = {},
): Promise<DisruptionEnvironment> {
  const env = await startDisruptionEnvironment(t);
  const annotations = { 'karpenter-ts.dev/consolidation-methods': 'empty, multi-delete, multi-replace' };
  for (const [pool, consolidationPolicy] of Object.entries(policies)) {
    await env.addPool(pool, { annotations, disruption: { ...NO_BUDGETS, consolidationPolicy } });
    for (const name of [`${pool}-1`, `${pool}-2`].slice(0, nodes)) {
      await env.addNode(name, { pool });
      await env.addPod(`on-${name}`, name, { requests: { cpu: '500m' } });
    }
  }
  return env;
}

/** A dear node that no method may take and no pod tolerates: beside it the other nodes are worth little to the pool. */
const DEAR = {
  pool: 'strict',
  type: 'fake-it-19',
  annotations: { [DO_NOT_DISRUPT]: 'true' },
  taints: [{ key: 'dear', effect: 'NoSchedule' }],
} as const;

/** The moves and scores that were counted, as `decision pool: count`. */
async function counted(env: DisruptionEnvironment) {
  const page = await env.page();
  const of = (name: string): readonly string[] =>
    [
      ...page.matchAll(
        new RegExp(`^karpenter_consolidation_${name}\\{decision="(\\w+)",nodepool="(\\w+)".*\\} (\\d+)$`, 'gm'),
      ),
    ]
      .map(([, decision, pool, count]) => `${decision} ${pool}: ${count}`)
      .sort();
  return { moves: of('moves_total'), scores: of('score_count') };
}

const approvals = (env: DisruptionEnvironment, name: string): number =>
  env.eventsOn(name).filter((text) => text.startsWith('ConsolidationApproved: ')).length;

test('04/183 a move of several nodes is counted for each pool, and scored and told on those that weigh it', async (t) => {
  const env = await start(t, { weighing: 'Balanced', other: 'WhenEmptyOrUnderutilized' });
  await env.pass();
  assert.deepEqual(await counted(env), {
    moves: ['approved other: 1', 'approved weighing: 1'],
    scores: ['approved weighing: 1'],
  });
  assert.deepEqual([approvals(env, 'weighing'), approvals(env, 'other')], [1, 0]);
  assert.equal(env.lines('info').filter((message) => message === 'disrupting node(s)').length, 1);
});

test('the log line about a score tells whether nodes are deleted or replaced, as upstream does', async (t) => {
  const env = await start(t, { weighing: 'Balanced' });
  await env.pass();
  const scores = env.logger.lines.filter(({ message }) => message === 'consolidation score');
  assert.deepEqual(
    scores.map(({ fields }) => [fields['decision'], fields['approved']]),
    [['replace', true]],
  );
});

test('04/184 a pool that approves is told so, although another pool rejects the move', async (t) => {
  const env = await start(t, { willing: 'Balanced', strict: 'Balanced' }, { nodes: 1 });
  await env.addNode('dear', DEAR);
  await env.pass();
  assert.deepEqual(await counted(env), {
    moves: ['rejected strict: 1', 'rejected willing: 1'],
    scores: ['approved willing: 1', 'rejected strict: 1'],
  });
  assert.deepEqual([approvals(env, 'willing'), approvals(env, 'strict'), (await env.kept()).length], [1, 0, 3]);
});

test('04/183 a move that its pool rejects is told nowhere', async (t) => {
  const env = await start(t, { strict: 'Balanced' });
  await env.addNode('dear', DEAR);
  await env.pass();
  assert.deepEqual(await counted(env), { moves: ['rejected strict: 1'], scores: ['rejected strict: 1'] });
  assert.deepEqual([approvals(env, 'strict'), (await env.kept()).length], [0, 3]);
});

test('04/185 a move is counted when its command starts, while upstream counts what does not hold after the wait', async (t) => {
  const env = await start(t, { weighing: 'Balanced' });
  env.clock.after(5 * SECOND, () => env.cluster.nominate('fake:///weighing-1'));
  await env.pass();
  assert.ok(env.eventsOn('weighing-2').some((text) => text.startsWith('ConsolidationRejected: ')));
  assert.deepEqual([await counted(env), approvals(env, 'weighing')], [{ moves: [], scores: [] }, 0]);
  await env.clock.advance(1 * MINUTE);
  await env.pass();
  const once = ['approved weighing: 1'];
  assert.deepEqual([await counted(env), approvals(env, 'weighing')], [{ moves: once, scores: once }, 1]);
});
