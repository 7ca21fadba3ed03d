import assert from 'node:assert/strict';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import { type Answer, apiCase, type RawApi } from './raw-api.ts';

const VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget.";
const LABELS = { app: 'guarded' };

/** A pod that runs and is ready, if not told otherwise; nobody runs it, so that it goes at once. */
async function runningPod(api: RawApi, name: string, ready: 'True' | 'False' = 'True'): Promise<void> {
  await api.pod(name, { metadata: { labels: LABELS } });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] };
  (await api.patch(api.path('pods', name, 'status'), { status })).done();
}

interface Counts {
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly disruptionsAllowed: number;
}

/**
 * A budget whose controller has counted all of its pods. Written by hand, a status would not last: the controller
 * replaces it by what it has seen so far. What it has seen only grows, so from these counts it does not move again.
 */
async function budget(api: RawApi, name: string, spec: JsonObject, counts: Counts): Promise<void> {
  const path = api.path('policy/poddisruptionbudgets');
  (await api.post(path, { metadata: { name }, spec: { selector: { matchLabels: LABELS }, ...spec } })).done(201);
  await api.context.until(`budget ${name} has counted ${JSON.stringify(counts)}`, async () => {
    const found = (await api.get(`${path}/${name}`)).done();
    const isCounted = found.at('status.observedGeneration') === found.at('metadata.generation');
    return isCounted && Object.entries(counts).every(([count, value]) => found.at(`status.${count}`) === value);
  });
}

const evict = (api: RawApi, name: string, more: JsonObject = {}): Promise<Answer> =>
  api.post(api.path('pods', name, 'eviction'), {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name },
    ...more,
  });

const isGone = async (api: RawApi, name: string): Promise<boolean> =>
  (await api.get(api.path('pods', name))).code === 404;

/** Evicting pods. */
export const evictionCases = [
  apiCase('a pod that no budget covers is evicted', async (api) => {
    await runningPod(api, 'a');
    const answer = (await evict(api, 'a')).done(201);
    assert.deepEqual([answer.at('kind'), answer.at('status')], ['Status', 'Success']);
    assert.ok(await isGone(api, 'a'));
  }),

  apiCase('an evicted pod is told why, and keeps its grace period', async (api) => {
    await api.pod('a', { spec: { nodeName: api.context.unique('nowhere') } });
    api.context.defer(() => api.delete(api.path('pods', 'a'), { gracePeriodSeconds: 0 }));
    (await evict(api, 'a')).done(201);
    const pod = (await api.get(api.path('pods', 'a'))).done();
    assert.equal(pod.at('metadata.deletionGracePeriodSeconds'), 30);
    const conditions = pod.at('status.conditions') as readonly JsonObject[];
    const { status, reason, message } = conditions.find(({ type }) => type === 'DisruptionTarget')!;
    assert.deepEqual(
      { status, reason, message },
      { status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' },
    );
  }),

  apiCase('what is not there cannot be evicted', async (api) => {
    (await evict(api, 'nope')).refused(404, 'NotFound', 'pods "nope" not found');
  }),

  apiCase('an eviction is for the pod of its address', async (api) => {
    await api.pod('a');
    (await evict(api, 'a', { metadata: { name: 'b' } })).refused(
      400,
      'BadRequest',
      'name in URL does not match name in Eviction object',
    );
  }),

  apiCase('a budget without room refuses, and says what it needs', async (api) => {
    await runningPod(api, 'a');
    await runningPod(api, 'b');
    await budget(
      api,
      'two',
      { minAvailable: 2 },
      { currentHealthy: 2, desiredHealthy: 2, expectedPods: 2, disruptionsAllowed: 0 },
    );
    const answer = await evict(api, 'a');
    answer.refused(429, 'TooManyRequests', VIOLATION);
    const message = 'The disruption budget two needs 2 healthy pods and has 2 currently';
    assert.deepEqual(answer.at('details.causes'), [{ reason: 'DisruptionBudget', message }]);
    assert.equal(await isGone(api, 'a'), false);
  }),

  apiCase('a budget with room for one lets one go', async (api) => {
    await runningPod(api, 'a');
    await runningPod(api, 'b');
    await budget(
      api,
      'one',
      { minAvailable: 1 },
      { currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, disruptionsAllowed: 1 },
    );
    (await evict(api, 'a')).done(201);
    assert.ok(await isGone(api, 'a'));
    (await evict(api, 'b')).refused(429, 'TooManyRequests', VIOLATION);
  }),

  apiCase('a pod that two budgets cover cannot be evicted', async (api) => {
    await runningPod(api, 'a');
    const counts = { currentHealthy: 1, desiredHealthy: 0, expectedPods: 1, disruptionsAllowed: 1 };
    await budget(api, 'one', { minAvailable: 0 }, counts);
    await budget(api, 'two', { minAvailable: 0 }, counts); // afterwards: of two, a pod that changes wakes only one
    const answer = await evict(api, 'a');
    answer.refused(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }),

  apiCase('a budget is no matter for a pod that has ended, or has not begun', async (api) => {
    await api.pod('waiting', { metadata: { labels: LABELS } });
    await runningPod(api, 'ended');
    await budget(
      api,
      'all',
      { minAvailable: 2 },
      { currentHealthy: 1, desiredHealthy: 2, expectedPods: 2, disruptionsAllowed: 0 },
    );
    (await api.patch(api.path('pods', 'ended', 'status'), { status: { phase: 'Failed' } })).done();
    (await evict(api, 'waiting')).done(201);
    (await evict(api, 'ended')).done(201);
    assert.deepEqual([await isGone(api, 'waiting'), await isGone(api, 'ended')], [true, true]);
  }),

  apiCase('a pod that is not ready goes when the budget is met without it', async (api) => {
    await runningPod(api, 'ready');
    await runningPod(api, 'unready', 'False');
    await budget(
      api,
      'one',
      { minAvailable: 1 },
      { currentHealthy: 1, desiredHealthy: 1, expectedPods: 2, disruptionsAllowed: 0 },
    );
    (await evict(api, 'ready')).refused(429, 'TooManyRequests', VIOLATION);
    (await evict(api, 'unready')).done(201);
  }),

  apiCase('a pod that is not ready stays when the budget is not met', async (api) => {
    await runningPod(api, 'unready', 'False');
    await budget(
      api,
      'one',
      { minAvailable: 1 },
      { currentHealthy: 0, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 },
    );
    (await evict(api, 'unready')).refused(429, 'TooManyRequests', VIOLATION);
  }),

  apiCase('a budget may always let pods go that are not ready', async (api) => {
    await runningPod(api, 'unready', 'False');
    const spec = { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' };
    await budget(api, 'one', spec, { currentHealthy: 0, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 });
    (await evict(api, 'unready')).done(201);
  }),

  apiCase('an eviction may insist on the pod it means', async (api) => {
    await runningPod(api, 'a');
    const answer = await evict(api, 'a', { deleteOptions: { preconditions: { uid: 'another' } } });
    answer.refused(409, 'Conflict', /the UID in the precondition \(another\) does not match the UID in record/);
    assert.equal(await isGone(api, 'a'), false);
  }),

  apiCase('a dry run of an eviction leaves pod and budget as they are', async (api) => {
    await runningPod(api, 'a');
    (await evict(api, 'a', { deleteOptions: { dryRun: ['All'] } })).done(201);
    const pod = (await api.get(api.path('pods', 'a'))).done();
    assert.equal(pod.at('metadata.deletionTimestamp'), undefined);
  }),
];
