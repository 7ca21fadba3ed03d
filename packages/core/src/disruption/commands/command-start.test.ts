import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISRUPTED_TAINT, DO_NOT_DISRUPT, NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { NODES } from '@karpenter-ts/kubernetes';
import { SECOND } from '@karpenter-ts/runtime';
import { NodeClaimDeletions } from '../../nodeclaim/deletions.ts';
import { LaunchState } from '../../provisioning/launch-state.ts';
import { TimeSlices } from '../../state/time-slices.ts';
import { launchedNodeClaim } from '../../testing/cluster-objects.ts';
import { ConsolidationView } from '../testing/consolidation-view.ts';
import { NO_BUDGETS, startDisruptionEnvironment } from '../testing/disruption-environment.ts';
import { startCommand } from './command-start.ts';
import { DisruptionQueue } from './disruption-queue.ts';

const TAINT = `${DISRUPTED_TAINT.key}:${DISRUPTED_TAINT.effect}`;
const DRIFTED = { conditions: ['Drifted'] } as const;
const BIG = { requests: { cpu: '3' } } as const;

test('04/137 a deletion goes on without a node that cannot be marked', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  for (const name of ['a', 'b']) await env.addNode(name);
  env.refusals.add({ method: 'PATCH', path: /nodes\/node-of-a$/, code: 500, times: 100 });
  assert.deepEqual(await env.pass(), { requeueAfter: 0 });
  assert.deepEqual(await env.kept(), ['a']);
});

test('04/137 a replacement is given up if a node cannot be marked, and the marks of others go with the next pass', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  for (const name of ['a', 'b']) {
    await env.addNode(name, { type: 'fake-it-4' });
    await env.addPod(`on-${name}`, name, BIG);
  }
  env.refusals.add({ method: 'PATCH', path: /nodes\/node-of-a$/, code: 500, times: 16 });
  await assert.rejects(env.pass(), /disrupting, disrupting candidates, marking disrupted, tainting nodes, .*refused/);
  assert.deepEqual([await env.kept(), await env.taintsOf('b')], [['a', 'b'], [TAINT]]);
  await env.change(NODE_POOLS, 'default', { spec: { disruption: { budgets: [{ nodes: '0' }] } } });
  await env.pass();
  assert.deepEqual([await env.taintsOf('b'), await env.reasonOf('b')], [[], undefined]);
});

test('04/190 nothing is bought for a node that is gone before it could be marked', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', DRIFTED);
  await env.addPod('p', 'a', BIG);
  env.refusals.add({ method: 'PATCH', path: /nodes\/node-of-a$/, code: 404 }); // the cache still shows it
  assert.deepEqual(await env.pass(), { requeueAfter: 1 * SECOND });
  assert.deepEqual(await env.kept(), ['a']);
  assert.equal(env.cluster.find('fake:///a')?.isDeleting, false);
});

test('04/191 a taint with the same key and another effect stays, when the command starts and when it fails', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  const other = { key: DISRUPTED_TAINT.key, effect: 'NoExecute' } as const;
  await env.addNode('a', { ...DRIFTED, taints: [other] });
  await env.addPod('p', 'a', BIG);
  await env.pass();
  assert.deepEqual(await env.taintsOf('a'), [`${DISRUPTED_TAINT.key}:NoExecute`, TAINT]);
  await env.delete(NODE_CLAIMS, (await env.kept()).find((name) => name !== 'a')!);
  await env.clock.advance(1 * SECOND);
  assert.deepEqual(await env.taintsOf('a'), [`${DISRUPTED_TAINT.key}:NoExecute`]);
});

test('a conflict while a node is marked is resolved by reading it again', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a');
  env.refusals.add({ method: 'PATCH', path: /nodes\/node-of-a$/, code: 409, times: 3 });
  env.refusals.add({ method: 'PATCH', path: /nodeclaims\/a\/status$/, code: 409, times: 3 });
  await env.pass();
  assert.deepEqual(await env.kept(), []);
});

test('04/138 nodes are not marked for deletion while their replacement is being created', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', DRIFTED);
  await env.addPod('p', 'a', BIG);
  let wasDeleting: boolean | undefined;
  const { client } = env;
  const create = client.create.bind(client);
  t.mock.method(client, 'create', (...args: Parameters<typeof create>) => {
    if (args[0] === NODE_CLAIMS) wasDeleting = env.cluster.find('fake:///a')?.isDeleting;
    return create(...args);
  });
  await env.pass();
  assert.deepEqual([wasDeleting, env.cluster.find('fake:///a')?.isDeleting], [false, true]);
});

test('a replacement that would leave its pool above its limits is not bought', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool('default', { limits: { cpu: '10' } });
  await env.addNode('a', DRIFTED);
  await env.addPod('p', 'a', BIG);
  const late = launchedNodeClaim('late', { capacity: { cpu: '9' } });
  const { client } = env;
  const get = client.get.bind(client);
  t.mock.method(client, 'get', (...args: Parameters<typeof get>) => {
    if (args[0] === NODES) env.cluster.track(late); // bought after the plan was made, while the node is being marked
    return get(...args);
  });
  await assert.rejects(env.pass(), /launching replacement nodeclaim, resource usage exceeds limit \(limit=10/);
  assert.deepEqual(await env.kept(), ['a']);
});

test('04/147 decisions are counted with the type of consolidation, and once for each NodePool', async (t) => {
  const env = await startDisruptionEnvironment(t);
  for (const name of ['one', 'two']) await env.addPool(name);
  await env.addNode('e1', { pool: 'one' });
  await env.addNode('e2', { pool: 'two' });
  await env.pass();
  await env.addNode('d', { ...DRIFTED, pool: 'one' });
  await env.pass();
  const total = 'karpenter_voluntary_disruption_decisions_total';
  assert.equal(await env.metric(`${total}{consolidation_type="empty",decision="delete",reason="empty"}`), 1);
  assert.equal(await env.metric(`${total}{consolidation_type="",decision="delete",reason="drifted"}`), 1);
  const byPool =
    'karpenter_voluntary_disruption_decisions_by_nodepool_total{consolidation_type="empty",decision="delete"';
  for (const name of ['one', 'two']) assert.equal(await env.metric(`${byPool},nodepool="${name}",reason="empty"}`), 1);
});

test('04/147 multi-node and single-node consolidation are counted as such', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool('default', { disruption: { ...NO_BUDGETS, budgets: [{ nodes: '1' }] } });
  for (const name of ['a', 'b', 'c']) {
    await env.addNode(name, { type: 'fake-it-9' });
    await env.addPod(`on-${name}`, name, { requests: { cpu: '1' } });
  }
  await env.pass();
  await env.change(NODE_POOLS, 'default', { spec: { disruption: { budgets: [{ nodes: '100%' }] } } });
  await env.addNode('d', { type: 'fake-it-9' });
  await env.addPod('on-d', 'd', { requests: { cpu: '1' } });
  await env.pass();
  const total = 'karpenter_voluntary_disruption_decisions_total';
  assert.equal(await env.metric(`${total}{consolidation_type="single",decision="delete",reason="underutilized"}`), 1);
  const replaced = await env.metric(`${total}{consolidation_type="multi",decision="replace",reason="underutilized"}`);
  const deleted = await env.metric(`${total}{consolidation_type="multi",decision="delete",reason="underutilized"}`);
  assert.equal((replaced ?? 0) + (deleted ?? 0), 1);
});

test('04/143 04/144 a command is logged with its nodes, its replacements and the pods that move', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', { ...DRIFTED, type: 'fake-it-6', capacityType: 'spot' });
  for (const name of ['p', 'q']) await env.addPod(name, 'a', BIG);
  await env.pass();
  const { fields } = env.logger.lines.find(({ message }) => message === 'disrupting node(s)')!;
  assert.match(
    String(fields['command']),
    /^Drifted\/[0-9a-f-]{36}: replace: nodepools=\[default\]: \[node-of-a\] -> \[1 replacement\] \(savings: \$-?\d+\.\d\d\)$/,
  );
  const counts = ['decision', 'disrupted-node-count', 'replacement-node-count', 'pod-count'];
  assert.deepEqual(
    counts.map((key) => fields[key]),
    ['replace', 1, 1, 2],
  );
  const [node] = fields['disrupted-nodes'] as readonly Record<string, unknown>[];
  assert.deepEqual(
    [String(node?.['Node']), String(node?.['NodeClaim']), node?.['instance-type'], node?.['capacity-type']],
    ['node-of-a', 'a', 'fake-it-6', 'spot'],
  );
  const [replacement] = fields['replacement-nodes'] as readonly Record<string, unknown>[];
  assert.equal(replacement?.['capacity-type'], 'spot');
  assert.match(String(replacement?.['instance-types']), /^fake-it-6, fake-it-7, .* and \d+ other\(s\)$/);
});

test('04/139 a command does not start while another one has one of its candidates', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  for (const name of ['a', 'b']) {
    await env.addNode(name);
    await env.addPod(`on-${name}`, name);
  }
  const { candidates, state } = await ConsolidationView.read(env);
  const onEnd = () => assert.fail('nothing was started');
  const queue = new DisruptionQueue({ ...env, deletions: new NodeClaimDeletions(env), onEnd });
  assert.equal(queue.take('another', candidates.slice(0, 1)), true);
  const deps = { ...env, queue, launchState: new LaunchState(env), random: () => 0 };
  const start = async (of: typeof candidates) => {
    const slices = new TimeSlices(env.clock, new AbortController().signal);
    const kind = { method: 'Emptiness', reason: 'Empty', consolidationType: 'empty' } as const;
    return startCommand(
      deps,
      { ...kind, candidates: of, replacements: [], savings: 0, plan: undefined },
      state,
      slices,
      env.logger,
    );
  };
  const before = env.writes.length;
  await assert.rejects(start(candidates), /^Error: candidate is being disrupted$/);
  assert.deepEqual([env.writes.length, env.lines('info').includes('disrupting node(s)')], [before, false]);
  assert.deepEqual(
    candidates.map(({ stateNode }) => queue.has(stateNode.providerId)),
    [true, false],
  );
  assert.equal(await start(candidates.slice(1)), true);
});

test('04/152 a terminationGracePeriod of 0s lets a drifted node go whatever its pods say, and they are counted as forced', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', { ...DRIFTED, terminationGracePeriod: '0s' });
  await env.addPod('p', 'a', { annotations: { [DO_NOT_DISRUPT]: 'true' } });
  await env.pass();
  assert.deepEqual(await env.kept(), []);
  const series = (await env.page())
    .split('\n')
    .filter((line) => line.startsWith('karpenter_pods_disruption_initiated_total{'));
  assert.equal(series.length, 1);
  assert.match(series[0]!, /reason="drifted",termination_mode="forceful"\} 1$/);
});
