import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISRUPTED_TAINT, DO_NOT_DISRUPT, NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { NODES } from '@karpenter-ts/kubernetes';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { conditionOf, launchedNodeClaim } from '../testing/cluster-objects.ts';
import { NO_BUDGETS, startDisruptionEnvironment } from './testing/disruption-environment.ts';

const TAINT = `${DISRUPTED_TAINT.key}:${DISRUPTED_TAINT.effect}`;
const DRIFTED = { conditions: ['Drifted'] } as const;
const BIG = { requests: { cpu: '3' } } as const;
const IDLE = { requeueAfter: 10 * SECOND };
const EVALUATIONS = 'karpenter_voluntary_disruption_decision_evaluation_duration_seconds_count';

test('04/1 while a NodeClaim is not launched nothing is evaluated, and a second later looked at again', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a');
  await env.create(NODE_CLAIMS, launchedNodeClaim('late', { providerId: '' }));
  assert.deepEqual(await env.pass(), { requeueAfter: 1 * SECOND });
  assert.equal(await env.metric(`${EVALUATIONS}{consolidation_type="empty",reason="empty"}`), undefined);
});

test('04/2 without candidates the loop looks again in 10 s', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  assert.deepEqual(await env.pass(), IDLE);
  for (const [type, reason] of [
    ['empty', 'empty'],
    ['', 'drifted'],
    ['multi', 'underutilized'],
    ['single', 'underutilized'],
  ]) {
    assert.equal(await env.metric(`${EVALUATIONS}{consolidation_type="${type}",reason="${reason}"}`), 1);
  }
});

test('04/3 04/7 an empty drifted node goes as an empty one, and the next pass begins at once', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', { conditions: ['Drifted', 'Consolidatable'] });
  assert.deepEqual(await env.pass(), { requeueAfter: 0 });
  assert.deepEqual(env.eventsOn('a'), ['DisruptionTerminating: Disrupting NodeClaim: Empty']);
  assert.equal(await env.metric(`${EVALUATIONS}{consolidation_type="",reason="drifted"}`), undefined);
});

const MARKED = { taints: [DISRUPTED_TAINT], conditions: ['DisruptionReason'] } as const;

test('04/4 marks of a command that nobody remembers are taken off, also those of users', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', MARKED);
  await env.addNode('b', { taints: [DISRUPTED_TAINT], conditions: [] });
  await env.create(NODES, { metadata: { name: 'foreign' }, spec: { taints: [DISRUPTED_TAINT] } });
  await env.pass();
  assert.deepEqual([await env.taintsOf('a'), await env.reasonOf('a'), await env.taintsOf('b')], [[], undefined, []]);
  const { spec } = await env.get<{ metadata: { name: string }; spec: { taints: readonly { key: string }[] } }>(
    NODES,
    'foreign',
  );
  assert.ok(spec.taints.some(({ key }) => key === DISRUPTED_TAINT.key)); // no NodeClaim, so it is none of ours
});

test('04/5 marks stay on nodes of a command, and on nodes marked for deletion', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', DRIFTED);
  await env.addPod('p', 'a', BIG);
  await env.pass();
  await env.change(NODE_CLAIMS, (await env.kept()).find((name) => name !== 'a')!, { status: { providerID: 'x:///r' } });
  await env.addNode('b', MARKED);
  env.cluster.markForDeletion({}, ['fake:///b']);
  await env.pass();
  assert.deepEqual([await env.taintsOf('a'), await env.reasonOf('a')], [[TAINT], 'True/Drifted/Drifted']);
  assert.deepEqual([await env.taintsOf('b'), await env.reasonOf('b')], [[TAINT], 'True/DisruptionReason/']);
});

test('04/6 a conflict while a taint is taken off is no error', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', MARKED);
  env.refusals.add({ method: 'PATCH', path: /nodes\/node-of-a$/, code: 409, times: 4 });
  await env.runLoop();
  await env.clock.advance(1 * SECOND);
  assert.deepEqual([await env.taintsOf('a'), env.lines('error')], [[], []]);
});

test('a taint that cannot be taken off is an error', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', MARKED);
  env.refusals.add({ method: 'PATCH', path: /nodes\/node-of-a$/, code: 500, times: 40 });
  await assert.rejects(env.pass(), /removing taint from nodes, .* \(taint=karpenter.sh\/disrupted:NoSchedule\)$/);
});

test('04/8 when the start of a drift command fails, consolidation is not tried in that pass', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', DRIFTED);
  await env.addPod('p', 'a', BIG);
  env.refusals.add({ method: 'POST', path: /nodeclaims$/, code: 500 });
  await assert.rejects(env.pass(), /^StructuredError: disrupting, .* \(reason=drifted\)$/);
  assert.equal(await env.metric(`${EVALUATIONS}{consolidation_type="multi",reason="underutilized"}`), undefined);
});

test('04/140 after a restart in the middle of a command nodes are untainted, and replacements stay', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', DRIFTED);
  await env.addPod('p', 'a', BIG);
  await env.pass();
  const replacement = (await env.kept()).find((name) => name !== 'a')!;
  await env.change(NODE_CLAIMS, replacement, { status: { providerID: 'fake:///r' } });
  await env.change(NODE_POOLS, 'default', { spec: { disruption: { budgets: [{ nodes: '0' }] } } });
  await env.restart();
  await env.pass();
  assert.deepEqual([await env.taintsOf('a'), await env.reasonOf('a')], [[], undefined]);
  assert.deepEqual((await env.kept()).includes(replacement), true);
});

test('04/174 the gauge of eligible nodes shows the candidates of the last pass', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', { conditions: ['Drifted'], annotations: {} });
  const gauge = (reason: string) => env.metric(`karpenter_voluntary_disruption_eligible_nodes{reason="${reason}"}`);
  await env.pass();
  assert.deepEqual([await gauge('empty'), await gauge('drifted')], [0, 1]);
  await env.pass();
  assert.deepEqual([await gauge('empty'), await gauge('drifted'), await gauge('underutilized')], [0, 0, 0]);
});

test('budget gauges are written without candidates, and end with their NodePool', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool('default', { disruption: { ...NO_BUDGETS, budgets: [{ nodes: '5' }] } });
  await env.addNode('a', { conditions: [] });
  await env.pass();
  const allowed = () => env.metric('karpenter_nodepools_allowed_disruptions{nodepool="default",reason="Drifted"}');
  const consuming = () => env.metric('karpenter_nodepools_nodes_consuming_budgets{nodepool="default",reason="Empty"}');
  assert.deepEqual([await allowed(), await consuming()], [5, 0]);
  await env.delete(NODE_POOLS, 'default');
  await env.pass();
  assert.deepEqual([await allowed(), await consuming()], [undefined, undefined]);
});

test('04/46 05/66 a budget of 0 is told on a NodePool with candidates', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool('default', { disruption: { ...NO_BUDGETS, budgets: [{ nodes: '0' }] } });
  await env.addPool('unused', { disruption: { ...NO_BUDGETS, budgets: [{ nodes: '0' }] } });
  await env.addNode('a');
  await env.pass();
  const text = 'DisruptionBlocked: No allowed disruptions for disruption reason Empty due to blocking budget';
  assert.deepEqual([env.eventsOn('default'), env.eventsOn('unused')], [[text], []]);
});

test('04/36 04/171 budgets that cannot be read are one error line, and block their own pool only', async (t) => {
  const env = await startDisruptionEnvironment(t);
  const budgets = [{ nodes: '100%', schedule: '@dailyx', duration: '1h' }];
  await env.addPool('bad', { disruption: { ...NO_BUDGETS, budgets } });
  await env.addPool('good');
  for (const pool of ['bad', 'good']) await env.addNode(`of-${pool}`, { pool });
  await env.pass();
  assert.deepEqual(await env.kept(), ['of-bad']);
  const line = env.logger.lines.find(({ message }) => message === 'detected disruption budget errors');
  assert.match(String(line?.error), /invalid disruption budgets in nodepool bad, invariant violated, invalid cron, /);
});

test('04/149 when a budget opens, the next pass acts without any change of the cluster', async (t) => {
  const env = await startDisruptionEnvironment(t);
  const budgets = [{ nodes: '0', schedule: '0 0 * * *', duration: '1h' }];
  await env.addPool('default', { disruption: { ...NO_BUDGETS, budgets } });
  await env.addNode('a');
  const midnight = 24 * 60 * MINUTE;
  await env.clock.advance(midnight - (env.clock.now() % midnight) + 30 * MINUTE);
  assert.deepEqual(await env.pass(), IDLE);
  await env.clock.advance(31 * MINUTE);
  await env.pass();
  assert.deepEqual(await env.kept(), []);
});

test('04/156 04/157 a change during a pass that finds nothing lets the next pass look again', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', { conditions: [], type: 'fake-it-0' });
  await env.addNode('b');
  await env.addPod('p', 'b', BIG);
  assert.deepEqual(await env.pass(), IDLE);
  await env.change(NODE_CLAIMS, 'a', {
    status: { conditions: ['Launched', 'Registered', 'Initialized', 'Consolidatable'].map((one) => conditionOf(one)) },
  });
  await env.pass();
  assert.deepEqual(await env.kept(), ['b']);
});

test('04/160 an idle pass over a consolidated cluster simulates nothing', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  for (let i = 0; i < 20; i++) {
    await env.addNode(`n${i}`);
    await env.addPod(`p${i}`, `n${i}`, { requests: { cpu: '3900m' } });
  }
  const runs = () => env.metric('karpenter_scheduler_scheduling_duration_seconds_count{controller="disruption"}');
  assert.deepEqual(await env.pass(), IDLE);
  const before = await runs();
  assert.deepEqual(await env.pass(), IDLE);
  assert.deepEqual([before! > 0, await runs()], [true, before]);
});

test('04/159 while the drift of one pool is held back after a failure, another pool goes on', async (t) => {
  const env = await startDisruptionEnvironment(t);
  for (const [pool, name] of [
    ['one', 'a'],
    ['two', 'b'],
  ] as const) {
    await env.addPool(pool);
    await env.addNode(name, { ...DRIFTED, pool });
    await env.addPod(`on-${name}`, name, BIG);
  }
  const replacement = async () => (await env.kept()).find((name) => name !== 'a' && name !== 'b')!;
  await env.pass();
  assert.deepEqual([await env.taintsOf('a'), await env.taintsOf('b')], [[TAINT], []]);
  await env.delete(NODE_CLAIMS, await replacement());
  await env.clock.advance(1 * SECOND);
  assert.equal(await env.metric('karpenter_voluntary_disruption_drift_backoffs_total{nodepool="one"}'), 1);
  assert.equal(await env.metric('karpenter_nodepool_drift_backoff_seconds{nodepool="one"}'), 30);
  await env.pass();
  assert.deepEqual([await env.taintsOf('a'), await env.taintsOf('b')], [[], [TAINT]]);
  await env.initialize(await replacement());
  await env.clock.advance(30 * SECOND);
  await env.pass();
  assert.deepEqual(await env.taintsOf('a'), [TAINT]);
});

test('04/148 another reason why a node is not consolidated is published at once, with upstream’s keys not', async (t) => {
  for (const [extensions, expected] of [
    ['all', 2],
    [new Set<string>(), 1],
  ] as const) {
    const env = await startDisruptionEnvironment(t, { options: { extensions } });
    await env.addPool('default', { disruption: { ...NO_BUDGETS, consolidateAfter: 'Never' } });
    await env.addNode('a');
    await env.addPod('p', 'a');
    await env.pass();
    await env.change(NODE_POOLS, 'default', {
      spec: { disruption: { consolidateAfter: '0s', consolidationPolicy: 'WhenEmpty' } },
    });
    await env.pass();
    assert.equal(env.eventsOn('a').length, expected);
  }
});

test('a method that has not run for 15 minutes is logged', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.pass();
  await env.clock.advance(16 * MINUTE);
  await env.pass();
  const lines = env.logger.lines.filter(({ message }) => message === 'abnormal time between runs');
  const names = new Set(lines.map(({ fields }) => fields['name']));
  const methods = ['Emptiness', 'Drift', 'MultiNodeConsolidation', 'SingleNodeConsolidation'];
  assert.deepEqual(names, new Set(['disruption-loop', ...methods.map((name) => `*disruption.${name}`)]));
  assert.equal(lines[0]?.fields['time_since'], '16m0s');
});

test('nodes that are blocked are told why, and the last pass shows them with the commands it started', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', { annotations: { [DO_NOT_DISRUPT]: 'true' } });
  await env.addNode('b');
  await env.create(NODES, { metadata: { name: 'foreign' } });
  await env.pass();
  const blocked = 'DisruptionBlocked: Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation';
  assert.deepEqual([env.eventsOn('a'), env.eventsOn('node-of-a')], [[blocked], [blocked]]);
  const { pass } = env.lastPass;
  assert.deepEqual(
    pass?.blocked.map(({ stateNode, why }) => [stateNode.providerId, why.kind]),
    [
      ['fake:///a', 'NodeDoNotDisrupt'],
      ['foreign', 'Unmanaged'],
    ],
  );
  assert.deepEqual([...pass.methods.keys()], ['Emptiness']);
  assert.deepEqual(
    pass.commands.map(({ candidates }) => candidates.length),
    [1],
  );
  assert.deepEqual(
    env.decisions.list().map(({ kind, outcome }) => [kind, outcome.state]),
    [['empty', 'succeeded']],
  );
});

test('04/114 04/195 when a multi-node command does not hold after its wait, single nodes are looked at in the same pass', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  for (const name of ['a', 'b', 'c']) {
    await env.addNode(name, { type: 'fake-it-9' });
    await env.addPod(`on-${name}`, name, { requests: { cpu: '1' } });
  }
  env.clock.after(5 * SECOND, () => env.cluster.nominate('fake:///a'));
  assert.deepEqual(await env.pass(), { requeueAfter: 0 });
  const failed = 'karpenter_voluntary_disruption_failed_validations_total{consolidation_type="multi"}';
  assert.ok(((await env.metric(failed)) ?? 0) > 0);
  assert.ok(env.eventsOn('b').some((text) => text.startsWith('ConsolidationRejected: Consolidation rejected: ')));
  const [, line] = env.logger.lines.filter(({ message }) => message === 'disrupting node(s)');
  const commands = env.logger.lines.filter(({ message }) => message === 'disrupting node(s)');
  assert.deepEqual([commands.length, line, commands[0]?.fields['disrupted-node-count']], [1, undefined, 1]);
});
