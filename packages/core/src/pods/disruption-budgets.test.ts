import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DISRUPTED_TAINT, DO_NOT_DISRUPT, readDoNotDisrupt } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { type Pod, POD_DISRUPTION_BUDGETS, type PodDisruptionBudget } from '@karpenter-ts/kubernetes';
import type { Handler } from '@karpenter-ts/runtime';
import type { Caches } from '../state/caches.ts';
import { ownedBy, runningPod } from '../testing/cluster-objects.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';
import { type BudgetBlock, PodDisruptionBudgets } from './disruption-budgets.ts';

type Spec = PodDisruptionBudget['spec'];

const FOR_A: Spec = { selector: { matchLabels: { app: 'a' } } };
const A = { labels: { app: 'a' } };

/** The index on the cache of an API server. */
async function start(t: TestContext) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const budgets = new PodDisruptionBudgets(env.caches);
  const text = (block: BudgetBlock | undefined) =>
    block && `${block.kind} ${block.budgets.map(({ metadata }) => metadata.name).join(' ')}`;
  const verdict = (pod: Pod) => readDoNotDisrupt(pod, env.clock.now());
  return {
    env,
    now: (pod: Pod) => text(budgets.findBlock(pod, verdict(pod))),
    ever: (pod: Pod) => text(budgets.findFullBlock(pod, verdict(pod))),
    /** Creates a budget with a status as of the disruption controller. */
    add: (name: string, spec: Spec, disruptionsAllowed = 1) =>
      env.create<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, {
        metadata: { name, namespace: 'default' },
        spec,
        status: { disruptionsAllowed, observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
      }),
  };
}

test('04/162 a budget blocks a pod now while it allows no disruption, and for good if it never can', async (t) => {
  const { add, env, ever, now } = await start(t);
  const pod = runningPod('p', 'n', A);
  assert.equal(now(pod), undefined);
  await add('b', { ...FOR_A, maxUnavailable: 1 }, 0);
  assert.deepEqual([now(pod), ever(pod)], ['NoDisruptionsAllowed b', undefined]);
  await env.change(POD_DISRUPTION_BUDGETS, 'default/b', { status: { disruptionsAllowed: 1 } });
  assert.deepEqual([now(pod), ever(pod)], [undefined, undefined]);
  for (const spec of [
    { maxUnavailable: 0 },
    { maxUnavailable: '0%' },
    { maxUnavailable: null, minAvailable: '100%' },
  ]) {
    await env.change(POD_DISRUPTION_BUDGETS, 'default/b', { spec });
    assert.deepEqual([now(pod), ever(pod)], [undefined, 'FullyBlocking b'], JSON.stringify(spec));
  }
});

test('a budget without a status allows no disruption', async (t) => {
  const { env, now } = await start(t);
  await env.create<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, {
    metadata: { name: 'b', namespace: 'default' },
    spec: { ...FOR_A, maxUnavailable: 1 },
  });
  assert.equal(now(runningPod('p', 'n', A)), 'NoDisruptionsAllowed b');
});

test('04/162 a pod with two budgets is blocked by both, whatever they allow', async (t) => {
  const { add, env, ever, now } = await start(t);
  const pod = runningPod('p', 'n', A);
  await add('b', { ...FOR_A, unhealthyPodEvictionPolicy: 'AlwaysAllow', maxUnavailable: 1 });
  await add('a', { selector: {}, maxUnavailable: 1 });
  assert.deepEqual([now(pod), ever(pod)], ['MultipleBudgets a b', 'MultipleBudgets a b']);
  await env.delete(POD_DISRUPTION_BUDGETS, 'default/a');
  assert.deepEqual([now(pod), ever(pod)], [undefined, undefined]);
});

test('an empty selector selects all pods of its namespace, an absent one none', async (t) => {
  const { add, env, now } = await start(t);
  await add('none', { maxUnavailable: 1 }, 0);
  assert.equal(now(runningPod('p', 'n', A)), undefined);
  await add('all', { selector: {}, maxUnavailable: 1 }, 0);
  for (const pod of [runningPod('p', 'n', A), runningPod('q', 'n')]) {
    assert.equal(now(pod), 'NoDisruptionsAllowed all');
    assert.equal(now({ ...pod, metadata: { ...pod.metadata, namespace: 'other' } }), undefined);
  }
  await env.delete(POD_DISRUPTION_BUDGETS, 'default/all');
  assert.equal(now(runningPod('p', 'n', A)), undefined);
});

test('a budget that comes to select other pods is found for them alone', async (t) => {
  const { add, env, now } = await start(t);
  const [a, b] = [runningPod('p', 'n', A), runningPod('q', 'n', { labels: { app: 'b', tier: 'x' } })];
  await add('pdb', { ...FOR_A, maxUnavailable: 1 }, 0);
  assert.deepEqual([now(a), now(b)], ['NoDisruptionsAllowed pdb', undefined]);
  for (const expression of [
    { key: 'app', operator: 'In', values: ['b', 'c'] },
    { key: 'tier', operator: 'Exists' },
    { key: 'app', operator: 'NotIn', values: ['a'] },
  ]) {
    const selector = { matchLabels: null, matchExpressions: [expression] };
    await env.change(POD_DISRUPTION_BUDGETS, 'default/pdb', { spec: { selector } });
    assert.deepEqual([now(a), now(b)], [undefined, 'NoDisruptionsAllowed pdb'], expression.operator);
  }
  await env.delete(POD_DISRUPTION_BUDGETS, 'default/pdb');
  assert.deepEqual([now(a), now(b)], [undefined, undefined]);
});

test('04/162 a pod that is not ready goes if the only budget lets such pods go', async (t) => {
  const { add, ever, now } = await start(t);
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };
  const [unhealthy, healthy] = [runningPod('p', 'n', { ...A, status }), runningPod('q', 'n', A)];
  await add('b', { ...FOR_A, maxUnavailable: 0, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, 0);
  assert.deepEqual([now(unhealthy), ever(unhealthy)], [undefined, undefined]);
  assert.deepEqual([now(healthy), ever(healthy)], ['NoDisruptionsAllowed b', 'FullyBlocking b']);
});

test('a budget does not concern pods that are not evicted; those of a DaemonSet are', async (t) => {
  const { add, now } = await start(t);
  await add('b', { ...FOR_A, maxUnavailable: 0 }, 0);
  const pod = runningPod('p', 'n', A);
  const tolerations = [{ key: DISRUPTED_TAINT.key, operator: 'Exists' }];
  for (const spared of [
    runningPod('p', 'n', { ...A, tolerations }),
    runningPod('p', 'n', { ...A, annotations: { [DO_NOT_DISRUPT]: 'true' } }),
    runningPod('p', 'n', { ...A, status: { phase: 'Failed' } }),
    { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
  ]) {
    assert.equal(now(spared), undefined);
  }
  assert.equal(now(runningPod('p', 'n', { ...A, ownerReferences: ownedBy('DaemonSet') })), 'NoDisruptionsAllowed b');
});

test('the revision changes with what a budget says about pods, and not with the rest of its status', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const budgets = new PodDisruptionBudgets(env.caches);
  const change = async (make: () => Promise<unknown>) => {
    const before = budgets.revision;
    await make();
    return budgets.revision !== before;
  };
  const patch = (body: object) => change(() => env.change(POD_DISRUPTION_BUDGETS, 'default/b', body));
  const create = () =>
    env.create<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'b', namespace: 'default' },
      spec: { ...FOR_A, maxUnavailable: 1 },
    });
  assert.equal(await change(create), true);
  assert.equal(await patch({ status: { disruptionsAllowed: 1 } }), true);
  assert.equal(await patch({ status: { disruptionsAllowed: 2 } }), false);
  assert.equal(await patch({ status: { currentHealthy: 3 } }), false);
  assert.equal(await patch({ spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } }), true);
  assert.equal(await patch({ spec: { selector: { matchLabels: { app: 'b' } } } }), true);
  assert.equal(await change(() => env.delete(POD_DISRUPTION_BUDGETS, 'default/b')), true);
});

test('a budget whose selector cannot be read blocks its namespace until it can', () => {
  let handler: Handler<PodDisruptionBudget> = {};
  const disruptionBudgets = { addHandler: (given: Handler<PodDisruptionBudget>) => void (handler = given) };
  const budgets = new PodDisruptionBudgets({ disruptionBudgets } as unknown as Pick<Caches, 'disruptionBudgets'>);
  const metadata = { name: 'odd', namespace: 'default' };
  const selector = { matchExpressions: [{ key: 'app', operator: 'Near', values: ['a'] }] };
  const odd: PodDisruptionBudget = {
    metadata,
    spec: { selector, maxUnavailable: 1 },
    status: { disruptionsAllowed: 1 },
  };
  const pod = runningPod('p', 'n', A);
  const block = () => budgets.findFullBlock(pod, { kind: 'Absent' });
  handler.onAdd?.(odd, true);
  assert.deepEqual(block(), { kind: 'UnreadableSelector', budgets: [odd] });
  handler.onUpdate?.(odd, { ...odd, spec: { ...odd.spec, selector: { matchLabels: { app: 'a' } } } });
  assert.equal(block(), undefined);
});
