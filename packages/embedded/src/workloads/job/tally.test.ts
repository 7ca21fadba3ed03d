import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND } from '@karpenter-ts/runtime';
import { findCondition } from '../conditions.ts';
import { buildPod, buildTemplate, NOON, type PodOptions } from '../testing/builders.ts';
import { type Job, type Pod, timestamp } from '@karpenter-ts/kubernetes';
import { countFailures, NO_FAILURES, untilRetry } from './back-off.ts';
import { planPods } from './pods.ts';
import { countedStatus, pendingStatus, releasable } from './record.ts';
import { tally, TRACKING } from './tally.ts';
import { findSuccess, findVerdict, untilDeadline } from './verdict.ts';

const NONE: ReadonlySet<string> = new Set();

function buildJob(spec: Partial<Job['spec']> = {}, status: Job['status'] = {}): Job {
  return {
    metadata: { name: 'work', namespace: 'default', uid: 'job' },
    spec: { parallelism: 2, completions: 3, backoffLimit: 1, selector: {}, template: buildTemplate('a'), ...spec },
    status,
  };
}

function worker(name: string, phase: string, options: PodOptions = {}): Pod {
  return buildPod(name, { phase, ...options, metadata: { finalizers: [TRACKING], ...options.metadata } });
}

test('each pod is counted once, wherever it stands on its way into the counters', () => {
  const job = buildJob({}, { succeeded: 1, failed: 1, uncountedTerminatedPods: { succeeded: ['b'], failed: ['d'] } });
  const pods = [
    worker('a', 'Succeeded', { metadata: { finalizers: [] } }), // counted, and let go
    worker('b', 'Succeeded'), // written down, not yet let go
    worker('c', 'Succeeded'), // new
    worker('d', 'Failed'),
    worker('e', 'Failed'), // let go already, which the cache does not show
    worker('f', 'Running'),
  ];
  const counted = tally(job, pods, new Set(['e']));
  assert.equal(counted.succeeded, 3);
  assert.equal(counted.failed, 2);
  assert.deepEqual(
    counted.newlySucceeded.map(({ metadata }) => metadata.name),
    ['c'],
  );
  assert.deepEqual(counted.newlyFailed, []);
  assert.equal(counted.active.length, 1);
});

test('a pod that is being deleted has failed, unless the Job waits for its end', () => {
  const pods = [worker('a', 'Running', { isTerminating: true })];
  assert.equal(tally(buildJob(), pods, NONE).failed, 1);
  assert.equal(tally(buildJob({ podReplacementPolicy: 'Failed' }), pods, NONE).failed, 0);
});

test('as many pods run as may and are needed', () => {
  const plan = (spec: Partial<Job['spec']>, pods: readonly Pod[] = []) => planPods(tally(buildJob(spec), pods, NONE));
  assert.deepEqual(plan({}), { create: 2 });
  assert.deepEqual(plan({ completions: 1 }), { create: 1 });
  assert.deepEqual(plan({}, [worker('a', 'Succeeded'), worker('b', 'Succeeded')]), { create: 1 });
  assert.deepEqual(plan({ parallelism: 0 }), { create: 0 });
  const running = [worker('a', 'Running'), worker('b', 'Pending')];
  assert.deepEqual(plan({ parallelism: 1 }, running), { remove: [running[1]] });
  assert.deepEqual(plan({ suspend: true }, running), { remove: running });
});

test('a Job without a number of completions starts no more once one has succeeded', () => {
  const { completions: _, ...open } = buildJob().spec;
  const job = { ...buildJob(), spec: open };
  assert.deepEqual(planPods(tally(job, [], NONE)), { create: 2 });
  const done = tally(job, [worker('a', 'Succeeded'), worker('b', 'Running')], NONE);
  assert.deepEqual(planPods(done), { create: 0 });
  assert.equal(findSuccess(done, 1), undefined);
  assert.equal(findSuccess(done, 0)?.end, 'Complete');
});

test('two pods on one index are one too many', () => {
  const at = (index: number) => ({ annotations: { 'batch.kubernetes.io/job-completion-index': String(index) } });
  const pods = [
    worker('a', 'Running', { metadata: { ...at(0), finalizers: [TRACKING] } }),
    worker('b', 'Pending', { metadata: { ...at(0), finalizers: [TRACKING] } }),
  ];
  assert.deepEqual(planPods(tally(buildJob({ completionMode: 'Indexed' }), pods, NONE)), { remove: [pods[1]] });
});

test('a Job fails by too many failures, too many restarts or too much time', () => {
  const verdict = (job: Job, pods: readonly Pod[], now = NOON) => findVerdict(tally(job, pods, NONE), now)?.reason;
  const failed = [worker('a', 'Failed'), worker('b', 'Failed')];
  assert.equal(verdict(buildJob(), failed.slice(1)), undefined);
  assert.equal(verdict(buildJob(), failed), 'BackoffLimitExceeded');
  const template = { spec: { ...buildTemplate('a').spec, restartPolicy: 'OnFailure' } };
  const restarted = worker('c', 'Running', { status: { containerStatuses: [{ name: 'main', restartCount: 1 }] } });
  assert.equal(verdict(buildJob({ template }), [restarted]), 'BackoffLimitExceeded');
  assert.equal(verdict(buildJob(), [restarted]), undefined);
  const timed = buildJob({ activeDeadlineSeconds: 5 }, { startTime: timestamp(NOON) });
  assert.equal(untilDeadline(timed, NOON + 2 * SECOND), 3 * SECOND);
  assert.equal(verdict(timed, [], NOON + 5 * SECOND), 'DeadlineExceeded');
});

test('what was decided stays decided', () => {
  const conditions = [{ type: 'FailureTarget', status: 'True', reason: 'DeadlineExceeded', message: 'm' }];
  const verdict = findVerdict(tally(buildJob({}, { conditions }), [], NONE), NOON);
  assert.deepEqual(verdict, { end: 'Failed', reason: 'DeadlineExceeded', message: 'm' });
});

test('ended pods are written down, let go, and only then counted', () => {
  const counted = tally(buildJob(), [worker('a', 'Succeeded'), worker('b', 'Failed'), worker('c', 'Running')], NONE);
  const finished = releasable(counted, undefined, NONE);
  assert.deepEqual(
    finished.map(({ metadata }) => metadata.name),
    ['a', 'b'],
  );
  const managed = { active: 1, ready: 0, terminating: 0 };
  const pending = pendingStatus(counted, managed, { verdict: undefined, finished, now: NOON });
  assert.deepEqual(pending.uncountedTerminatedPods, { succeeded: ['a'], failed: ['b'] });
  assert.equal(pending.succeeded, undefined);
  const done = countedStatus(pending, undefined, NOON);
  assert.deepEqual([done.succeeded, done.failed, done.active], [1, 1, 1]);
  assert.deepEqual(done.uncountedTerminatedPods, {});
});

test('a Job that has failed ends when the last of its pods is gone', () => {
  const verdict = { end: 'Failed', reason: 'DeadlineExceeded', message: 'm' } as const;
  const counted = tally(buildJob(), [worker('a', 'Running')], NONE);
  const finished = releasable(counted, verdict, NONE);
  assert.equal(finished.length, 1);
  const pending = pendingStatus(counted, { active: 0, ready: 0, terminating: 1 }, { verdict, finished, now: NOON });
  assert.equal(findCondition(pending.conditions, 'FailureTarget')?.reason, 'DeadlineExceeded');
  assert.deepEqual(pending.uncountedTerminatedPods, { failed: ['a'] });
  assert.equal(findCondition(countedStatus(pending, verdict, NOON).conditions, 'Failed'), undefined);
  const gone = countedStatus({ ...pending, terminating: 0 }, verdict, NOON);
  assert.equal(findCondition(gone.conditions, 'Failed')?.status, 'True');
});

test('failures in a row double the pause, and a success ends the row', () => {
  const failed = (name: string, seconds: number): Pod => {
    const terminated = { exitCode: 1, finishedAt: timestamp(NOON + seconds * SECOND) };
    return worker(name, 'Failed', { status: { containerStatuses: [{ name: 'main', state: { terminated } }] } });
  };
  const once = countFailures(NO_FAILURES, [], [failed('a', 0)]);
  assert.equal(untilRetry(once, NOON + 4 * SECOND), 6 * SECOND);
  const twice = countFailures(once, [], [failed('b', 20)]);
  assert.equal(untilRetry(twice, NOON + 20 * SECOND), 20 * SECOND);
  const many = { count: 30, last: NOON };
  assert.equal(untilRetry(many, NOON), 600 * SECOND);
  assert.deepEqual(countFailures(twice, [failed('c', 30)], []), NO_FAILURES);
  assert.equal(countFailures(twice, [failed('c', 30)], [failed('d', 29), failed('e', 31)]).count, 1);
});
