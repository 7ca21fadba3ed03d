import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DISRUPTED_TAINT, DO_NOT_DISRUPT } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { type Handler, MINUTE } from '@karpenter-ts/runtime';
import { NODES, type Pod, POD_DISRUPTION_BUDGETS, type PodDisruptionBudget, PODS } from '@karpenter-ts/kubernetes';
import { ClusterModel } from '../state/cluster-model.ts';
import { ownedBy, plainNode, runningPod } from '../testing/cluster-objects.ts';
import { type TestEnvironment, startTestEnvironment } from '../testing/test-environment.ts';
import { countTurns } from '../testing/turns.ts';
import { TimeSlices } from '../state/time-slices.ts';
import { PodDisruptionBudgets } from './disruption-budgets.ts';
import { findDisplacedPods } from './displaced-pods.ts';

/** A node that is about to go, with these pods on it. */
async function start(t: TestContext, ...pods: readonly Pod[]) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const cluster = new ClusterModel(env);
  const deps = { ...env, podDisruptionBudgets: new PodDisruptionBudgets(env.caches) };
  await env.create(NODES, plainNode('n'));
  for (const pod of pods) await env.create(PODS, pod);
  cluster.markForDeletion({}, ['n']);
  const slices = new TimeSlices(env.clock, new AbortController().signal);
  const find = () => findDisplacedPods(cluster.snapshot().deleting, deps, slices);
  return {
    env,
    names: async () => (await find()).pods.map(({ metadata }) => metadata.name),
    events: async () => (await find()).events.map(({ type, reason, message }) => [type, reason, message]),
    protect: (spec: PodDisruptionBudget['spec'], name = 'pdb') =>
      env.create<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, { metadata: { name, namespace: 'default' }, spec }),
  };
}

/** Asks for its end, which a finalizer keeps from coming. */
function terminating(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, finalizers: ['example.com/held'] } };
}

test('02/29 active pods of a deleting node need another node; pods that have ended do not', async (t) => {
  const { names } = await start(
    t,
    runningPod('a', 'n'),
    runningPod('done', 'n', { status: { phase: 'Succeeded' } }),
    runningPod('elsewhere', 'm'),
  );
  assert.deepEqual(await names(), ['a']);
});

test('02/30 of terminating pods only those of a StatefulSet come back, and those of a daemon set never', async (t) => {
  const { env, names } = await start(
    t,
    terminating(runningPod('replica', 'n', { ownerReferences: ownedBy('ReplicaSet') })),
    terminating(
      runningPod('stateful', 'n', {
        ownerReferences: ownedBy('StatefulSet'),
        annotations: { [DO_NOT_DISRUPT]: 'true' }, // too late for that
      }),
    ),
    runningPod('daemon', 'n', { ownerReferences: ownedBy('DaemonSet') }),
    runningPod('mirror', 'n', { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'uid' }] }),
  );
  for (const name of ['replica', 'stateful']) await env.delete(PODS, `default/${name}`);
  assert.deepEqual(await names(), ['stateful']);
});

for (const [words, spec] of [
  ['maxUnavailable 0', { maxUnavailable: 0 }],
  ['maxUnavailable "0%"', { maxUnavailable: '0%' }],
  ['minAvailable "100%"', { minAvailable: '100%' }],
] as const) {
  test(`02/31 a pod under a budget of ${words} is not evicted, and needs no other node`, async (t) => {
    const { names, protect } = await start(t, runningPod('a', 'n', { labels: { app: 'x' } }));
    assert.deepEqual(await names(), ['a']);
    await protect({ selector: { matchLabels: { app: 'x' } }, ...spec });
    assert.deepEqual(await names(), []);
  });
}

test('02/31 a pod under two budgets cannot be evicted at all', async (t) => {
  const { names, protect } = await start(t, runningPod('a', 'n', { labels: { app: 'x' } }));
  const selector = { matchLabels: { app: 'x' } };
  await protect({ selector, maxUnavailable: 1 }, 'one');
  assert.deepEqual(await names(), ['a']); // it merely allows none at the moment
  await protect({ selector, maxUnavailable: 1 }, 'two');
  assert.deepEqual(await names(), []);
});

test('02/31 a pod that is not ready goes under a budget that lets such pods go', async (t) => {
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };
  const { names, protect } = await start(
    t,
    runningPod('unhealthy', 'n', { labels: { app: 'x' }, status }),
    runningPod('well', 'n', { labels: { app: 'x' } }),
  );
  const selector = { matchLabels: { app: 'x' } };
  await protect({ selector, maxUnavailable: 0, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
  assert.deepEqual(await names(), ['unhealthy']);
});

test('a budget does not hold what no eviction would remove', async (t) => {
  const tolerations = [{ key: DISRUPTED_TAINT.key, operator: 'Exists' }];
  const { names, protect } = await start(
    t,
    runningPod('tolerant', 'n', { labels: { app: 'x' }, tolerations }),
    runningPod('other', 'n', { labels: { app: 'y' } }),
  );
  await protect({ selector: {}, maxUnavailable: 0 });
  assert.deepEqual(await names(), ['tolerant']);
});

test('02/31 a pod that must not be disrupted stays, for as long as it says', async (t) => {
  const asking = (name: string, value: string) =>
    runningPod(name, 'n', {
      annotations: { [DO_NOT_DISRUPT]: value },
      status: { phase: 'Running', startTime: '2026-01-01T00:00:00Z' },
    });
  const { env, names, events } = await start(
    t,
    asking('always', 'true'),
    asking('a-while', '5m'),
    asking('odd', 'abc'),
  );
  assert.deepEqual(await names(), ['odd']);
  assert.deepEqual(await events(), [
    ['Normal', 'DoNotDisruptUntil', 'The karpenter.sh/do-not-disrupt grace period will elapse at 2026-01-01T00:05:00Z'],
    [
      'Warning',
      'InvalidDoNotDisruptAnnotation',
      'Invalid karpenter.sh/do-not-disrupt annotation: failed to parse "abc" as a duration: time: invalid duration "abc", ignoring annotation',
    ],
  ]);
  await env.clock.advance(6 * MINUTE);
  assert.deepEqual(await names(), ['a-while', 'odd']);
  assert.deepEqual((await events())[0], [
    'Normal',
    'DoNotDisruptGracePeriodElapsed',
    'The karpenter.sh/do-not-disrupt grace period has elapsed, pod is now disruptable',
  ]);
});

test('others get their turn after each node, and each pod on it, that is looked at', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const cluster = new ClusterModel(env);
  const deps = { ...env, podDisruptionBudgets: new PodDisruptionBudgets(env.caches) };
  for (let i = 0; i < 20; i++) {
    await env.create(NODES, plainNode(`n${i}`));
    await env.create(PODS, runningPod(`p${i}`, `n${i}`));
    cluster.markForDeletion({}, [`n${i}`]);
  }
  const { deleting } = cluster.snapshot();
  assert.ok((await countTurns((slices) => findDisplacedPods(deleting, deps, slices))) >= 20);
  const first = deleting.slice(0, 1);
  for (let i = 20; i < 40; i++) await env.create(PODS, runningPod(`p${i}`, first[0]!.existing.name));
  assert.ok((await countTurns((slices) => findDisplacedPods(first, deps, slices))) >= 20);
});

/** How often labels were looked at to tell which of 50 pods are displaced, and who is. */
async function countLooks(t: TestContext, labelsOf: (pod: number) => object, selectors: readonly object[]) {
  let looks = 0;
  const getOwnPropertyDescriptor = (target: object, key: PropertyKey) => {
    looks++;
    return Reflect.getOwnPropertyDescriptor(target, key);
  };
  const known = new Map<string, object>();
  const pods = Array.from({ length: 50 }, (_, i) => {
    const pod = runningPod(`p${i}`, 'n');
    const key = JSON.stringify(labelsOf(i));
    const labels = known.get(key) ?? new Proxy(labelsOf(i), { getOwnPropertyDescriptor });
    known.set(key, labels); // as the cache does
    return { ...pod, metadata: { ...pod.metadata, labels } };
  });
  const budgets = selectors.map((selector, i) => ({
    metadata: { name: `b${i}`, namespace: 'default' },
    spec: { selector, maxUnavailable: 0 },
  }));
  const disruptionBudgets = {
    addHandler: ({ onAdd }: Handler<PodDisruptionBudget>) => budgets.forEach((budget) => onAdd?.(budget, true)),
  };
  const podDisruptionBudgets = new PodDisruptionBudgets({ disruptionBudgets } as unknown as TestEnvironment['caches']);
  const caches = { pods: { byIndex: () => pods } } as unknown as TestEnvironment['caches'];
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const cluster = new ClusterModel(env);
  await env.create(NODES, plainNode('n'));
  const deps = { caches, clock: env.clock, podDisruptionBudgets };
  const slices = new TimeSlices(env.clock, new AbortController().signal);
  const displaced = await findDisplacedPods(cluster.snapshot().active, deps, slices);
  return { looks, displaced: displaced.pods.map(({ metadata }) => metadata.name) };
}

test('budgets are compared once with the labels that pods share, however many these are', async (t) => {
  const selectors = ['a', 'b', 'c'].map((app) => ({ matchLabels: { app } }));
  const expressions = ['a', 'b', 'c'].map((app) => ({
    matchExpressions: [{ key: 'app', operator: 'In', values: [app] }],
  }));
  const listed = await countLooks(t, () => ({ app: 'a' }), [{ matchLabels: { tier: 'x' } }]);
  for (const [all, looks] of [
    [selectors, 1], // only one of them is for pods with that value
    [expressions, 1],
  ] as const) {
    assert.deepEqual(await countLooks(t, () => ({ app: 'a' }), all), {
      looks: listed.looks + looks,
      displaced: [],
    });
  }
});

test('labels that no pods share are compared with no more budgets than have a label in common', async (t) => {
  const labelsOf = (pod: number) => ({ app: `app-${pod}`, tier: 'x', 'apps.kubernetes.io/pod-index': String(pod) });
  const selectors = Array.from({ length: 200 }, (_, i) => ({ matchLabels: { app: `app-${i + 25}` } }));
  const { looks, displaced } = await countLooks(t, labelsOf, selectors);
  assert.ok(looks <= 50 * 4, `${looks} looks at 50 pods`);
  assert.deepEqual(
    displaced,
    Array.from({ length: 25 }, (_, i) => `p${i}`),
  );
});

test('02/31 a budget that selects by several labels, by expressions or everything holds whom it selects', async (t) => {
  const labels = { app: 'a', tier: 'x' };
  const named = (operator: string, values?: readonly string[]) => ({
    matchExpressions: [{ key: 'tier', operator, ...(values && { values }) }],
  });
  for (const [selector, isHeld] of [
    [{ matchLabels: { app: 'a', tier: 'x' } }, true],
    [{ matchLabels: { app: 'a', tier: 'y' } }, false],
    [{ matchLabels: { tier: 'x' }, ...named('NotIn', ['x']) }, false],
    [named('In', ['x', 'y']), true],
    [named('DoesNotExist'), false],
    [named('Exists'), true],
    [{}, true],
  ] as const) {
    const { displaced } = await countLooks(t, () => labels, [selector]);
    assert.equal(displaced.length, isHeld ? 0 : 50, JSON.stringify(selector));
  }
});
