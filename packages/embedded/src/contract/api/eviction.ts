import assert from 'node:assert/strict';
import type { JsonObject } from '@karpenter-ts/apis';
import { type Answer, apiCase, type Wire } from './wire.ts';

const VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget.";
const LABELS = { app: 'guarded' };

/** A pod that runs and is ready, if not told otherwise; nobody runs it, so that it goes at once. */
async function runningPod(wire: Wire, name: string, ready: 'True' | 'False' = 'True'): Promise<void> {
  await wire.pod(name, { metadata: { labels: LABELS } });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] };
  (await wire.patch(wire.path('pods', name, 'status'), { status })).done();
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
async function budget(wire: Wire, name: string, spec: JsonObject, counts: Counts): Promise<void> {
  const path = wire.path('policy/poddisruptionbudgets');
  (await wire.post(path, { metadata: { name }, spec: { selector: { matchLabels: LABELS }, ...spec } })).done(201);
  await wire.context.until(`budget ${name} has counted ${JSON.stringify(counts)}`, async () => {
    const found = (await wire.get(`${path}/${name}`)).done();
    const isCounted = found.at('status.observedGeneration') === found.at('metadata.generation');
    return isCounted && Object.entries(counts).every(([count, value]) => found.at(`status.${count}`) === value);
  });
}

const evict = (wire: Wire, name: string, more: JsonObject = {}): Promise<Answer> =>
  wire.post(wire.path('pods', name, 'eviction'), {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name },
    ...more,
  });

const isGone = async (wire: Wire, name: string): Promise<boolean> =>
  (await wire.get(wire.path('pods', name))).code === 404;

/** Evicting pods. */
export const evictionCases = [
  apiCase('a pod that no budget covers is evicted', async (wire) => {
    await runningPod(wire, 'a');
    const answer = (await evict(wire, 'a')).done(201);
    assert.deepEqual([answer.at('kind'), answer.at('status')], ['Status', 'Success']);
    assert.ok(await isGone(wire, 'a'));
  }),

  apiCase('an evicted pod is told why, and keeps its grace period', async (wire) => {
    await wire.pod('a', { spec: { nodeName: wire.context.unique('nowhere') } });
    wire.context.defer(() => wire.delete(wire.path('pods', 'a'), { gracePeriodSeconds: 0 }));
    (await evict(wire, 'a')).done(201);
    const pod = (await wire.get(wire.path('pods', 'a'))).done();
    assert.equal(pod.at('metadata.deletionGracePeriodSeconds'), 30);
    const conditions = pod.at('status.conditions') as readonly JsonObject[];
    const { status, reason, message } = conditions.find(({ type }) => type === 'DisruptionTarget')!;
    assert.deepEqual(
      { status, reason, message },
      { status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' },
    );
  }),

  apiCase('what is not there cannot be evicted', async (wire) => {
    (await evict(wire, 'nope')).refused(404, 'NotFound', 'pods "nope" not found');
  }),

  apiCase('an eviction is for the pod of its address', async (wire) => {
    await wire.pod('a');
    (await evict(wire, 'a', { metadata: { name: 'b' } })).refused(
      400,
      'BadRequest',
      'name in URL does not match name in Eviction object',
    );
  }),

  apiCase('a budget without room refuses, and says what it needs', async (wire) => {
    await runningPod(wire, 'a');
    await runningPod(wire, 'b');
    await budget(
      wire,
      'two',
      { minAvailable: 2 },
      { currentHealthy: 2, desiredHealthy: 2, expectedPods: 2, disruptionsAllowed: 0 },
    );
    const answer = await evict(wire, 'a');
    answer.refused(429, 'TooManyRequests', VIOLATION);
    const message = 'The disruption budget two needs 2 healthy pods and has 2 currently';
    assert.deepEqual(answer.at('details.causes'), [{ reason: 'DisruptionBudget', message }]);
    assert.equal(await isGone(wire, 'a'), false);
  }),

  apiCase('a budget with room for one lets one go', async (wire) => {
    await runningPod(wire, 'a');
    await runningPod(wire, 'b');
    await budget(
      wire,
      'one',
      { minAvailable: 1 },
      { currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, disruptionsAllowed: 1 },
    );
    (await evict(wire, 'a')).done(201);
    assert.ok(await isGone(wire, 'a'));
    (await evict(wire, 'b')).refused(429, 'TooManyRequests', VIOLATION);
  }),

  apiCase('a pod that two budgets cover cannot be evicted', async (wire) => {
    await runningPod(wire, 'a');
    const counts = { currentHealthy: 1, desiredHealthy: 0, expectedPods: 1, disruptionsAllowed: 1 };
    await budget(wire, 'one', { minAvailable: 0 }, counts);
    await budget(wire, 'two', { minAvailable: 0 }, counts); // afterwards: of two, a pod that changes wakes only one
    const answer = await evict(wire, 'a');
    answer.refused(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }),

  apiCase('a budget is no matter for a pod that has ended, or has not begun', async (wire) => {
    await wire.pod('waiting', { metadata: { labels: LABELS } });
    await runningPod(wire, 'ended');
    await budget(
      wire,
      'all',
      { minAvailable: 2 },
      { currentHealthy: 1, desiredHealthy: 2, expectedPods: 2, disruptionsAllowed: 0 },
    );
    (await wire.patch(wire.path('pods', 'ended', 'status'), { status: { phase: 'Failed' } })).done();
    (await evict(wire, 'waiting')).done(201);
    (await evict(wire, 'ended')).done(201);
    assert.deepEqual([await isGone(wire, 'waiting'), await isGone(wire, 'ended')], [true, true]);
  }),

  apiCase('a pod that is not ready goes when the budget is met without it', async (wire) => {
    await runningPod(wire, 'ready');
    await runningPod(wire, 'unready', 'False');
    await budget(
      wire,
      'one',
      { minAvailable: 1 },
      { currentHealthy: 1, desiredHealthy: 1, expectedPods: 2, disruptionsAllowed: 0 },
    );
    (await evict(wire, 'ready')).refused(429, 'TooManyRequests', VIOLATION);
    (await evict(wire, 'unready')).done(201);
  }),

  apiCase('a pod that is not ready stays when the budget is not met', async (wire) => {
    await runningPod(wire, 'unready', 'False');
    await budget(
      wire,
      'one',
      { minAvailable: 1 },
      { currentHealthy: 0, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 },
    );
    (await evict(wire, 'unready')).refused(429, 'TooManyRequests', VIOLATION);
  }),

  apiCase('a budget may always let pods go that are not ready', async (wire) => {
    await runningPod(wire, 'unready', 'False');
    const spec = { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' };
    await budget(wire, 'one', spec, { currentHealthy: 0, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 });
    (await evict(wire, 'unready')).done(201);
  }),

  apiCase('an eviction may insist on the pod it means', async (wire) => {
    await runningPod(wire, 'a');
    const answer = await evict(wire, 'a', { deleteOptions: { preconditions: { uid: 'another' } } });
    answer.refused(409, 'Conflict', /the UID in the precondition \(another\) does not match the UID in record/);
    assert.equal(await isGone(wire, 'a'), false);
  }),

  apiCase('a dry run of an eviction leaves pod and budget as they are', async (wire) => {
    await runningPod(wire, 'a');
    (await evict(wire, 'a', { deleteOptions: { dryRun: ['All'] } })).done(201);
    const pod = (await wire.get(wire.path('pods', 'a'))).done();
    assert.equal(pod.at('metadata.deletionTimestamp'), undefined);
  }),
];
