import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TERMINATION_TIMESTAMP } from '@karpenter-ts/apis';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { PODS } from '@karpenter-ts/kubernetes';
import { type TerminationEnvironment, startTerminationEnvironment } from './testing/termination-environment.ts';

const GRACE = '300s';

/** A node that must be empty in five minutes, deleted a moment ago; its pods as given. */
async function deadlined(
  t: Parameters<typeof startTerminationEnvironment>[0],
  pods: Readonly<Record<string, Parameters<TerminationEnvironment['addPod']>[1]>>,
): Promise<TerminationEnvironment> {
  const env = await startTerminationEnvironment(t, { nodeClaim: { spec: { terminationGracePeriod: GRACE } } });
  for (const [name, parts] of Object.entries(pods)) await env.addPod(name, parts);
  await env.runControllers();
  await env.deleteNode();
  return env;
}

const grace = (seconds: number) => ({ terminationGracePeriodSeconds: seconds });
const RUNNING = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const PROTECTED = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };

/** How long a pod is still given, in seconds; undefined while nobody asked it to go. */
async function remaining(env: TerminationEnvironment, name: string): Promise<number | undefined> {
  const end = (await env.pod(name))?.metadata.deletionTimestamp;
  return end === undefined ? undefined : (Date.parse(end) - env.clock.now()) / SECOND;
}

test('03/63 pods go in four groups, each when the one before is gone', async (t) => {
  const env = await startTerminationEnvironment(t, { nodeClaim: 'none' });
  const daemon = {
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true }],
  };
  const critical = { priorityClassName: 'system-cluster-critical' };
  await env.addPod('critical-daemon', { metadata: daemon, spec: critical });
  await env.addPod('critical', { spec: { priorityClassName: 'system-node-critical' } });
  await env.addPod('daemon', { metadata: daemon });
  await env.addPod('plain');
  await env.runControllers();
  await env.deleteNode();
  const order = ['plain', 'daemon', 'critical', 'critical-daemon'];
  for (const [i, name] of order.entries()) {
    await env.clock.advance(3 * SECOND);
    const graces = await Promise.all(order.map((one) => remaining(env, one)));
    assert.deepEqual(
      graces.map((left) => left !== undefined),
      order.map((_, j) => j === i),
      `only ${name} is asked to go`,
    );
    await env.stopPod(name);
    order[i] = 'gone';
  }
  await env.eventually(async () => (await env.node()) === undefined, 10);
});

test('03/64 a pod is waited for during its grace and one minute more', async (t) => {
  const env = await startTerminationEnvironment(t, { nodeClaim: 'none' });
  await env.addPod('p', { metadata: { finalizers: ['example.com/hold'] } });
  await env.runControllers();
  await env.deleteNode();
  await env.clock.advance(30 * SECOND + 1 * MINUTE - 2 * SECOND);
  assert.ok(await env.node());
  await env.clock.advance(5 * SECOND);
  assert.equal(await env.node(), undefined);
});

test('03/65 a budget that allows nothing is asked again and again, and named in an event', async (t) => {
  const env = await startTerminationEnvironment(t);
  await env.addPod('p', { metadata: { labels: { app: 'a' } }, status: RUNNING });
  await env.addBudget('b', { maxUnavailable: 0, selector: { matchLabels: { app: 'a' } } }, 0);
  await env.runControllers();
  await env.deleteNode();
  await env.clock.advance(1 * MINUTE);
  assert.match(await env.page(), /karpenter_pods_eviction_requests_total\{code="429"\} \d+\n/);
  assert.ok(
    env.messages('FailedDraining').includes('Failed to drain node, evicting pod violates a PDB (Pod=default/p)'),
  );
  assert.ok(env.messages('FailedDraining').includes('Failed to drain node, 1 pods are waiting to be evicted'));
  assert.equal(env.queue.has((await env.pod('p'))!), true);
  assert.deepEqual(
    env.logger.lines.filter(({ level }) => level === 'error'),
    [],
  );
});

test('03/66 two budgets on one pod are what the API server cannot decide', async (t) => {
  const env = await startTerminationEnvironment(t);
  await env.addPod('p', { metadata: { labels: { app: 'a' } }, status: RUNNING });
  for (const name of ['b1', 'b2']) {
    await env.addBudget(name, { maxUnavailable: 1, selector: { matchLabels: { app: 'a' } } }, 1);
  }
  await env.runControllers();
  await env.deleteNode();
  await env.clock.advance(10 * SECOND);
  assert.match(await env.page(), /karpenter_pods_eviction_requests_total\{code="500"\} \d+\n/);
  const why = 'Failed to drain node, eviction does not support multiple PDBs (Pod=default/p)';
  assert.ok(env.messages('FailedDraining').includes(why));
});

test('03/67 a pod that is gone, or another by now, is forgotten without a word', async (t) => {
  const env = await startTerminationEnvironment(t);
  const pod = await env.addPod('p');
  await env.run(env.queue.controller);
  for (const code of [404, 409] as const) {
    env.refusals.add({ method: 'POST', path: /pods\/p\/eviction$/, code });
    env.queue.add(pod, undefined);
    await env.clock.advance(1 * SECOND);
    assert.equal(env.queue.has(pod), false);
    assert.match(await env.page(), new RegExp(`code="${code}"\\} 1\\n`));
  }
  assert.deepEqual(env.messages('Evicted'), []);

  await env.stopPod('p');
  const namesake = await env.addPod('p');
  env.queue.add(pod, undefined);
  await env.clock.advance(1 * SECOND);
  assert.equal((await env.pod('p'))?.metadata.uid, namesake.metadata.uid);
  assert.equal((await env.pod('p'))?.metadata.deletionTimestamp, undefined);
});

test('03/68 03/136 an eviction says why: the reason of the disruption, or that there was no choice', async (t) => {
  const env = await startTerminationEnvironment(t);
  await env.addPod('a');
  await env.runControllers();
  await env.deleteNode();
  await env.clock.advance(2 * SECOND);
  assert.deepEqual(env.messages('Evicted'), ['Evicted pod: Forceful Termination']);
  assert.match(await env.page(), /karpenter_pods_eviction_requests_total\{code="200"\} 1\n/);
  assert.match(await env.page(), /karpenter_pods_drained_total\{reason="Forceful Termination"\} 1\n/);

  const { status } = await env.nodeClaim();
  const spot = {
    type: 'DisruptionReason',
    status: 'True',
    reason: 'SpotInterruption',
    message: 'SpotInterruption',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await env.change(NODE_CLAIMS, 'c1', { status: { conditions: [...(status?.conditions ?? []), spot] } });
  await env.addPod('b');
  await env.clock.advance(2 * SECOND);
  assert.ok(env.messages('Evicted').includes('Evicted pod: SpotInterruption'));

  const stray = await env.addPod('c', { spec: { nodeName: 'nowhere' } });
  env.queue.add(stray, undefined);
  await env.clock.advance(2 * SECOND);
  assert.ok(env.messages('Evicted').includes('Evicted pod: '));
});

test('03/69 a protected pod holds its node for ever, or for as long as it says', async (t) => {
  const env = await startTerminationEnvironment(t);
  const protect = (value: string) => ({ annotations: { 'karpenter.sh/do-not-disrupt': value } });
  const started = { startTime: new Date(env.clock.now() - 6 * MINUTE).toISOString() };
  await env.addPod('always', { metadata: protect('true') });
  await env.addPod('over', { metadata: protect('5m'), status: started });
  await env.addPod('nonsense', { metadata: protect('abc'), status: started });
  await env.addPod('not-started', { metadata: protect('5m') });
  await env.runControllers();
  await env.deleteNode();
  await env.clock.advance(1 * MINUTE);
  const asked = await Promise.all(['always', 'over', 'nonsense', 'not-started'].map((name) => remaining(env, name)));
  assert.deepEqual(
    asked.map((left) => left !== undefined),
    [false, true, true, false],
  );
  assert.equal(env.messages('InvalidDoNotDisruptAnnotation').length, 1);
  assert.equal(env.messages('DoNotDisruptGracePeriodElapsed').length, 1);
  await env.clock.advance(60 * MINUTE);
  assert.equal(await remaining(env, 'always'), undefined);
  assert.ok(await env.node());
});

test('03/74 03/76 03/138 who needs all the time there is goes at once, protected and critical or not', async (t) => {
  const env = await deadlined(t, {
    protected: { metadata: PROTECTED, spec: grace(300) },
    critical: { spec: { ...grace(600), priorityClassName: 'system-cluster-critical' } },
    plain: { spec: grace(30) },
    blocked: { metadata: { ...PROTECTED }, spec: grace(30) },
  });
  await env.clock.advance(10 * SECOND);
  assert.ok((await remaining(env, 'protected'))! <= 300);
  const left = (await remaining(env, 'critical'))!;
  assert.ok(left > 280 && left <= 300, `${left} s`);
  assert.equal(await remaining(env, 'blocked'), undefined);
});

test('03/75 a protected pod is deleted when just its grace is left', async (t) => {
  const env = await deadlined(t, { p: { metadata: PROTECTED, spec: grace(60) } });
  await env.clock.advance(90 * SECOND);
  assert.equal(await remaining(env, 'p'), undefined);
  await env.clock.advance(175 * SECOND);
  assert.notEqual(await remaining(env, 'p'), undefined);
  assert.equal(env.messages('Disrupted').length, 1);
});

test('03/77 a pod on its way out with too much grace gets less', async (t) => {
  const env = await startTerminationEnvironment(t, { nodeClaim: { spec: { terminationGracePeriod: GRACE } } });
  await env.addPod('p', { spec: grace(6000) });
  await env.delete(PODS, 'default/p');
  await env.deleteNode();
  await env.clock.advance(90 * SECOND);
  await env.runControllers();
  await env.clock.advance(2 * SECOND);
  const left = (await remaining(env, 'p'))!;
  assert.ok(left > 200 && left <= 215, `${left} s`);
});

test('03/78 03/140 past the deadline a pod has one second, and its owner is told', async (t) => {
  const env = await startTerminationEnvironment(t, { nodeClaim: { spec: { terminationGracePeriod: '0s' } } });
  await env.addPod('p', { metadata: PROTECTED });
  await env.runControllers();
  await env.deleteNode();
  await env.clock.advance(2 * SECOND);
  const [message = ''] = env.messages('Disrupted');
  assert.match(
    message,
    /^Deleting the pod to accommodate the terminationTime \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC of the node\. The pod was granted 1 seconds of grace-period of its 30 terminationGracePeriodSeconds\. This bypasses the PDB of the pod and the do-not-disrupt annotation\.$/,
  );
  const requests = await env.page();
  assert.match(requests, /karpenter_pods_drained_total\{reason="Forceful Termination"\} 1\n/);
  await env.clock.advance(30 * SECOND);
  assert.equal(env.messages('Disrupted').length, 1, 'a deletion that changes nothing is not repeated');
});

test('03/79 of two deadlines the earlier one counts', async (t) => {
  const env = await startTerminationEnvironment(t, { nodeClaim: 'none' });
  const pod = await env.addPod('p', { metadata: PROTECTED, spec: grace(10) });
  await env.run(env.queue.controller);
  const now = env.clock.now();
  env.queue.add(pod, undefined);
  await env.clock.advance(5 * SECOND);
  assert.equal(await remaining(env, 'p'), undefined);
  env.queue.add(pod, now + 60 * SECOND);
  env.queue.add(pod, now + 6000 * SECOND);
  await env.clock.advance(60 * SECOND);
  assert.notEqual(await remaining(env, 'p'), undefined);
});

test('03/80 a pod that is gone when it is to be deleted is no error', async (t) => {
  const env = await startTerminationEnvironment(t, { nodeClaim: 'none' });
  const pod = await env.addPod('p', { spec: grace(10) });
  await env.run(env.queue.controller);
  env.refusals.add({ method: 'DELETE', path: /pods\/p$/, code: 404 });
  env.queue.add(pod, env.clock.now());
  await env.clock.advance(1 * SECOND);
  assert.equal(env.queue.has(pod), false);
  assert.deepEqual(
    env.logger.lines.filter(({ level }) => level === 'error'),
    [],
  );
});

test('03/138 without a deadline, or without a grace of its own, no pod is deleted', async (t) => {
  const env = await deadlined(t, {});
  const without = { ...(await env.addPod('p', { metadata: PROTECTED })), spec: { nodeName: 'n1' } };
  const deadline = Date.parse((await env.nodeClaim()).metadata.annotations?.[TERMINATION_TIMESTAMP] ?? '') || 0;
  const { mustBeDeleted } = await import('./pod-drain.ts');
  assert.equal(mustBeDeleted(without, deadline, env.clock.now() + 60 * MINUTE), false);
  assert.equal(mustBeDeleted(await env.addPod('q', { spec: grace(30) }), undefined, Number.MAX_SAFE_INTEGER), false);
});

test('03/137 a thousand pods asked again and again are evicted once each', async (t) => {
  const env = await startTerminationEnvironment(t, { nodeClaim: 'none' });
  const pods = [];
  for (let i = 0; i < 1000; i++) pods.push(await env.addPod(`p-${i}`));
  await env.run(env.queue.controller);
  for (let round = 0; round < 3; round++) {
    for (const pod of pods) env.queue.add(pod, undefined);
    await env.clock.flush();
  }
  await env.clock.advance(10 * SECOND);
  assert.match(await env.page(), /karpenter_pods_eviction_requests_total\{code="200"\} 1000\n/);
});
