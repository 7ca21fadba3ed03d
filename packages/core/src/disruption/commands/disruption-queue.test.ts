import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DISRUPTED_TAINT, INSTANCE_TYPE_LABEL, NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import { PODS } from '@karpenter-ts/kubernetes';
import { HOUR, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { LastPlan } from '../../planning/last-plan.ts';
import { PodDisruptionBudgets } from '../../pods/disruption-budgets.ts';
import { LaunchState } from '../../provisioning/launch-state.ts';
import { Provisioner } from '../../provisioning/provisioner.ts';
import { conditionOf, launchedNodeClaim, pendingPod } from '../../testing/cluster-objects.ts';
import { commandTimeout } from './disruption-queue.ts';
import {
  type DisruptionEnvironment,
  NO_BUDGETS,
  startDisruptionEnvironment,
} from '../testing/disruption-environment.ts';

const TAINT = `${DISRUPTED_TAINT.key}:${DISRUPTED_TAINT.effect}`;
const DRIFTED = { conditions: ['Drifted'] } as const;

/** Drifted nodes of one pod each, which need a replacement: the pool has no node larger than its pod. */
async function startDrift(t: TestContext, ...names: readonly string[]): Promise<DisruptionEnvironment> {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  for (const name of names) {
    await env.addNode(name, DRIFTED);
    await env.addPod(`on-${name}`, name, { requests: { cpu: '3' } });
  }
  return env;
}

/** Names of the NodeClaims that were created since. */
async function replacementsOf(env: DisruptionEnvironment, ...old: readonly string[]): Promise<readonly string[]> {
  return (await env.kept()).filter((name) => !old.includes(name));
}

test('04/131 while a replacement is not initialized the taint stays, and its events tell what is waited for', async (t) => {
  const env = await startDrift(t, 'a');
  await env.pass();
  const [replacement] = await replacementsOf(env, 'a');
  await env.clock.advance(5 * SECOND);
  assert.deepEqual([await env.kept(), await env.taintsOf('a')], [['a', replacement], [TAINT]]);
  assert.equal(await env.reasonOf('a'), 'True/Drifted/Drifted');
  assert.deepEqual(env.eventsOn(replacement!), [
    'DisruptionLaunching: Launching NodeClaim: Drifted',
    'DisruptionWaitingReadiness: Waiting on readiness to continue disruption',
  ]);
  await env.initialize();
  await env.clock.advance(1 * SECOND);
  assert.deepEqual(await env.kept(), [replacement]);
});

test('04/132 a node goes when the last of its replacements is ready, with an event on Node and NodeClaim', async (t) => {
  const env = await startDisruptionEnvironment(t);
  const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'In' as const, values: ['fake-it-3'] }];
  await env.addPool('default', { template: { requirements } });
  await env.addNode('a', { ...DRIFTED, type: 'fake-it-9' });
  for (const name of ['p', 'q']) await env.addPod(name, 'a', { requests: { cpu: '3' } });
  await env.pass();
  const [one, other] = await replacementsOf(env, 'a');
  await env.initialize(one);
  await env.clock.advance(5 * SECOND);
  assert.deepEqual(await env.kept(), ['a', one, other].sort(byName));
  await env.initialize(other);
  await env.clock.advance(1 * SECOND);
  assert.deepEqual(await env.kept(), [one, other].sort(byName));
  assert.deepEqual(
    [env.eventsOn('a'), env.eventsOn('node-of-a')],
    [['DisruptionTerminating: Disrupting NodeClaim: Drifted'], ['DisruptionTerminating: Disrupting Node: Drifted']],
  );
  assert.ok(env.lines('debug').includes('command succeeded'));
});

/** A drifted node of two pods that need a node each, and a command that waits for the second of them. */
async function startHalfReady(t: TestContext) {
  const env = await startDisruptionEnvironment(t);
  const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'In' as const, values: ['fake-it-3'] }];
  await env.addPool('default', { template: { requirements } });
  await env.addNode('a', { ...DRIFTED, type: 'fake-it-9' });
  for (const name of ['p', 'q']) await env.addPod(name, 'a', { requests: { cpu: '3' } });
  await env.pass();
  const [ready = '', awaited = ''] = await replacementsOf(env, 'a');
  await env.initialize(ready);
  const { status } = await env.get<NodeClaim>(NODE_CLAIMS, ready);
  const conditions = [...(status?.conditions ?? []), conditionOf('Consolidatable')];
  await env.change(NODE_CLAIMS, ready, { status: { ...status, conditions } });
  const launched = { providerID: 'fake:///awaited', conditions: [conditionOf('Launched')] };
  await env.change(NODE_CLAIMS, awaited, { status: launched });
  await env.clock.advance(1 * MINUTE);
  return { env, ready, awaited };
}

test('a replacement that is ready is not disrupted as empty while its command waits for another', async (t) => {
  const { env, ready, awaited } = await startHalfReady(t);
  await env.pass();
  assert.deepEqual(await env.kept(), ['a', ready, awaited].sort(byName));
  await env.initialize(awaited);
  await env.clock.advance(1 * SECOND);
  assert.deepEqual(await env.kept(), [ready, awaited].sort(byName));
  await env.pass();
  assert.deepEqual(await env.kept(), [awaited]); // nobody has put a pod there, and no command expects any
});

test('a command is rolled back if a replacement goes after it was ready and before the candidates do', async (t) => {
  const { env, ready, awaited } = await startHalfReady(t);
  await env.client.delete(NODE_CLAIMS, { name: ready });
  await env.initialize(awaited);
  await env.clock.advance(1 * SECOND);
  assert.deepEqual([await env.kept(), await env.taintsOf('a')], [['a', awaited].sort(byName), []]);
  assert.match(String(env.logger.lines.find(({ level }) => level === 'error')?.error), /replacement was deleted, /);
});

test('04/133 without replacements a node goes at once', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', DRIFTED);
  await env.pass();
  assert.deepEqual(await env.kept(), []);
});

test('04/134 after 10 min without its replacement a command is rolled back, and counted', async (t) => {
  const env = await startDrift(t, 'a');
  await env.pass();
  await env.clock.advance(10 * MINUTE);
  assert.deepEqual([await env.taintsOf('a'), env.cluster.find('fake:///a')?.isDeleting], [[TAINT], true]);
  await env.clock.advance(2 * SECOND);
  assert.deepEqual(await env.taintsOf('a'), []);
  assert.deepEqual([await env.reasonOf('a'), env.cluster.find('fake:///a')?.isDeleting], [undefined, false]);
  const labels = 'consolidation_type="replace",decision="replace",reason="drifted"';
  assert.equal(await env.metric(`karpenter_voluntary_disruption_queue_failures_total{${labels}}`), 1);
  const line = env.logger.lines.find(({ level }) => level === 'error');
  assert.equal(line?.message, 'failed terminating nodes while executing a disruption command');
  assert.match(String(line?.error), /^.*command reached timeout, waiting for replacement initialization, /);
  assert.equal((await env.kept()).length, 2); // the replacement stays
  const [decision] = env.decisions.list();
  assert.deepEqual([decision?.kind, decision?.outcome.state], ['drift', 'failed']);
});

test('04/135 the more candidates are queued, the longer a command may take, from 10 min to 1 h', () => {
  const cases = [
    [100, 10 * MINUTE],
    [4000, 10 * MINUTE],
    [10_000, 13 * MINUTE + 20 * SECOND],
    [40_000, 53 * MINUTE + 20 * SECOND],
    [80_000, 1 * HOUR],
  ] as const;
  for (const [candidates, expected] of cases) assert.equal(commandTimeout(candidates), expected);
});

test('04/136 a replacement that the cluster state knows is waited for, be it in the cache or not', async (t) => {
  const env = await startDrift(t, 'a');
  await env.pass();
  const [replacement = ''] = await replacementsOf(env, 'a');
  await env.client.delete(NODE_CLAIMS, { name: replacement });
  await env.clock.flush();
  env.cluster.track(launchedNodeClaim(replacement, { providerId: '' })); // as before the cache shows it
  await env.clock.advance(10 * SECOND);
  assert.deepEqual(await env.taintsOf('a'), [TAINT]);
  env.cluster.drop(replacement);
  await env.clock.advance(1 * SECOND);
  assert.deepEqual(await env.taintsOf('a'), []);
});

test('04/77 when the replacement disappears the node is untainted and may be replaced again', async (t) => {
  const env = await startDrift(t, 'a');
  await env.pass();
  const [replacement = ''] = await replacementsOf(env, 'a');
  await env.delete(NODE_CLAIMS, replacement);
  await env.clock.advance(1 * SECOND);
  assert.deepEqual([await env.taintsOf('a'), await env.reasonOf('a')], [[], undefined]);
  await env.clock.advance(1 * MINUTE); // the back-off of its pool
  await env.pass();
  assert.deepEqual([(await env.kept()).length, await env.taintsOf('a')], [2, [TAINT]]);
});

test('04/141 a pod that is pending during a replacement uses the new node, and no other node is bought', async (t) => {
  const env = await startDrift(t, 'a');
  await env.pass();
  const [replacement = ''] = await replacementsOf(env, 'a');
  const capacity = { cpu: '4', memory: '8Gi', pods: '10' };
  const { metadata, status } = launchedNodeClaim(replacement, {
    capacity,
    labels: { [INSTANCE_TYPE_LABEL]: 'fake-it-3' },
  });
  await env.change(NODE_CLAIMS, replacement, { metadata: { labels: metadata.labels }, status: status ?? {} });
  const provisioner = new Provisioner({
    ...env,
    launchState: new LaunchState(env),
    podDisruptionBudgets: new PodDisruptionBudgets(env.caches),
    lastPlan: new LastPlan(),
    random: () => 0,
  });
  const provision = async (name: string, cpu: string): Promise<number> => {
    await env.create(PODS, pendingPod(name, { requests: { cpu } }));
    await env.clock.runUntil(provisioner.run(new AbortController().signal, env.logger));
    await env.clock.flush();
    return (await replacementsOf(env, 'a')).length;
  };
  assert.equal(await provision('small', '500m'), 1);
  assert.deepEqual(env.eventsOn('small'), [`Nominated: Pod should schedule on: nodeclaim/${replacement}`]);
  assert.equal(await provision('large', '3'), 2); // the place of the node's own pod is not given away
});

test('04/188 each command waits for its own replacement only', async (t) => {
  const env = await startDrift(t, 'a', 'b');
  await env.pass();
  const [first] = await replacementsOf(env, 'a', 'b');
  await env.change(NODE_CLAIMS, first!, { status: { providerID: 'fake:///first' } }); // launched, so that passes go on
  await env.pass();
  const [second] = await replacementsOf(env, 'a', 'b', first!);
  await env.initialize(second);
  await env.clock.advance(2 * SECOND);
  const left = await env.kept();
  assert.deepEqual([left.includes('a'), left.includes('b')], [true, false]);
  await env.initialize(first);
  await env.clock.advance(2 * SECOND);
  assert.equal((await env.kept()).includes('a'), false);
});

test('04/189 a deletion that fails is requested again after 1 s, and those that succeeded are not counted twice', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  for (const name of ['a', 'b']) await env.addNode(name);
  env.refusals.add({ method: 'DELETE', path: /nodeclaims\/b$/, code: 500, times: 100 });
  await env.pass();
  assert.deepEqual(await env.kept(), ['b']);
  const counted = () =>
    env.metric('karpenter_nodeclaims_disrupted_total{capacity_type="on-demand",nodepool="default",reason="empty"}');
  assert.equal(await counted(), 1);
  await env.clock.advance(100 * SECOND);
  assert.deepEqual([await env.kept(), await counted()], [[], 2]);
});

test('04/158 when the first of two candidates disappears, the second is replaced all the same', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  for (const name of ['a', 'b']) {
    await env.addNode(name, { type: 'fake-it-4' });
    await env.addPod(`on-${name}`, name, { requests: { cpu: '3' } });
  }
  await env.pass();
  const [replacement, ...others] = await replacementsOf(env, 'a', 'b');
  assert.deepEqual([others, await env.taintsOf('a'), await env.taintsOf('b')], [[], [TAINT], [TAINT]]);
  await env.delete(NODE_CLAIMS, 'a');
  await env.initialize(replacement);
  await env.clock.advance(1 * SECOND);
  assert.deepEqual(await env.kept(), [replacement]);
});

test('04/142 successive replacements of drifted nodes stop at the budget', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool('default', { disruption: { ...NO_BUDGETS, budgets: [{ nodes: '3' }] } });
  const old = ['a', 'b', 'c', 'd'];
  for (const name of old) {
    await env.addNode(name, DRIFTED);
    await env.addPod(`on-${name}`, name, { requests: { cpu: '3' } });
  }
  for (let i = 0; i < 4; i++) {
    await env.pass();
    for (const name of await replacementsOf(env, ...old)) {
      await env.change(NODE_CLAIMS, name, { status: { providerID: `fake:///${name}` } });
    }
  }
  assert.equal((await replacementsOf(env, ...old)).length, 3);
  const tainted = await Promise.all(old.map((name) => env.taintsOf(name)));
  assert.deepEqual(tainted, [[TAINT], [TAINT], [TAINT], []]);
});

function byName(a: string | undefined, b: string | undefined): number {
  return (a ?? '') < (b ?? '') ? -1 : 1;
}
