import assert from 'node:assert/strict';
import { findCondition } from '../../workloads/kinds/condition.ts';
import { JOBS, type Job } from '../../workloads/kinds/job.ts';
import { PODS, type Pod } from '../../workloads/kinds/pod.ts';
import { timestamp } from '../../workloads/timestamp.ts';
import type { ContractCase } from '../contract-case.ts';
import { type Yard, yardCase } from './yard.ts';

const TRACKING = 'batch.kubernetes.io/job-tracking';
const INDEX = 'batch.kubernetes.io/job-completion-index';

function createJob(yard: Yard, spec: Partial<Job['spec']> = {}): Promise<Job> {
  const { template = yard.template({ restartPolicy: 'Never' }), ...rest } = spec;
  return yard.create<Job>(JOBS, { metadata: { name: 'work' }, spec: { template, ...rest } });
}

function ended(yard: Yard, how: 'Complete' | 'Failed'): Promise<Job> {
  return yard.until<Job>(
    JOBS,
    'work',
    `is ${how}`,
    ({ status }) => findCondition(status?.conditions, how)?.status === 'True',
  );
}

function homeless(yard: Yard): { readonly template: Job['spec']['template'] } {
  return { template: yard.homelessTemplate({ restartPolicy: 'Never' }) };
}

function activePods(yard: Yard, count: number): Promise<readonly Pod[]> {
  return yard.context.until(`${count} pods`, async () => {
    const pods = (await yard.pods()).filter(({ status }) => status?.phase === 'Pending');
    return pods.length === count && pods;
  });
}

/** With the time at which it was: of a pod that does not say, only that it was after its creation is known. */
async function fail(yard: Yard, pod: Pod | undefined): Promise<void> {
  const lastTransitionTime = timestamp(yard.context.clock.now());
  const conditions = [{ type: 'Ready', status: 'False', reason: 'PodFailed', lastTransitionTime }];
  await yard.merge(PODS, pod?.metadata.name ?? '', { status: { phase: 'Failed', conditions } }, 'status');
}

export const jobCases: readonly ContractCase[] = [
  yardCase('a Job is complete when its pod has succeeded', async (yard) => {
    await yard.node('a');
    await createJob(yard);
    const { status } = await ended(yard, 'Complete');
    const { conditions = [], startTime, completionTime, ...counters } = status ?? {};
    assert.deepEqual(counters, { succeeded: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    assert.ok(startTime && completionTime && startTime <= completionTime);
    assert.deepEqual(
      conditions.map(({ type, status: value, reason, message }) => ({ type, value, reason, message })),
      ['SuccessCriteriaMet', 'Complete'].map((type) => ({
        type,
        value: 'True',
        reason: 'CompletionsReached',
        message: 'Reached expected number of succeeded pods',
      })),
    );
  }),

  yardCase('a pod of a Job is held until it is counted, and stays for its logs', async (yard) => {
    await yard.node('a');
    const states = await yard.record<Pod>(PODS);
    await createJob(yard);
    await ended(yard, 'Complete');
    await yard.caughtUp(PODS, states);
    assert.deepEqual(states[0]?.object.metadata.finalizers, [TRACKING]);
    await yard.context.until('the pod is free', async () => {
      const [pod] = await yard.pods();
      return pod?.status?.phase === 'Succeeded' && pod.metadata.finalizers === undefined;
    });
  }),

  yardCase('a Job runs no more pods at once than it may, and as many as it needs', async (yard) => {
    await yard.node('a');
    const states = await yard.record<Pod>(PODS);
    await createJob(yard, { completions: 5, parallelism: 2 });
    const { status } = await ended(yard, 'Complete');
    assert.equal(status?.succeeded, 5);
    assert.equal((await yard.pods()).length, 5);
    await yard.caughtUp(PODS, states);
    const active = new Set<string>();
    const counts = states.map(({ object }) => {
      const { name } = object.metadata;
      if (object.status?.phase === 'Succeeded') active.delete(name);
      else active.add(name);
      return active.size;
    });
    assert.ok(Math.max(...counts) <= 2, 'more than two pods were active at once');
  }),

  yardCase('the pods of an indexed Job know which part is theirs', async (yard) => {
    await yard.node('a');
    await createJob(yard, { completions: 3, parallelism: 3, completionMode: 'Indexed' });
    const { status } = await ended(yard, 'Complete');
    assert.equal(status?.completedIndexes, '0-2');
    assert.equal(status?.succeeded, 3);
    const pods = await yard.pods();
    const indexes = pods.map(({ metadata }) => metadata.annotations?.[INDEX]);
    assert.deepEqual(indexes, ['0', '1', '2']); // by name, which holds the index
    for (const { metadata, spec } of pods) {
      const index = metadata.annotations?.[INDEX];
      assert.equal(metadata.labels?.[INDEX], index);
      assert.equal(metadata.generateName, `work-${index}-`);
      assert.equal(spec.hostname, `work-${index}`);
      assert.equal(spec.containers[0]?.env?.[0]?.name, 'JOB_COMPLETION_INDEX');
    }
  }),

  yardCase('a Job fails when more pods have failed than it may lose', async (yard) => {
    await createJob(yard, { ...homeless(yard), backoffLimit: 0 });
    const [pod] = await activePods(yard, 1);
    await fail(yard, pod);
    const { status } = await ended(yard, 'Failed');
    assert.equal(status?.failed, 1);
    assert.equal(status?.completionTime, undefined);
    assert.deepEqual(
      status?.conditions?.map(({ type }) => type),
      ['FailureTarget', 'Failed'],
    );
    const condition = findCondition(status?.conditions, 'Failed');
    assert.equal(condition?.reason, 'BackoffLimitExceeded');
    assert.equal(condition?.message, 'Job has reached the specified backoff limit');
  }),

  yardCase('of a pod that restarts in place, the restarts count', async (yard) => {
    await createJob(yard, { template: yard.homelessTemplate({ restartPolicy: 'OnFailure' }), backoffLimit: 0 });
    const [pod] = await activePods(yard, 1);
    const restarted = async (times: number): Promise<Pod> => {
      const main = { name: 'main', image: 'app', imageID: '', ready: true, restartCount: times };
      const status = { phase: 'Running', containerStatuses: [main] };
      return yard.merge<Pod>(PODS, pod?.metadata.name ?? '', { status }, 'status');
    };
    await restarted(0);
    await yard.until<Job>(JOBS, 'work', 'has seen it run', ({ status }) => status?.ready === 0 && status.active === 1);
    await restarted(1);
    const { status } = await ended(yard, 'Failed');
    assert.equal(findCondition(status?.conditions, 'Failed')?.reason, 'BackoffLimitExceeded');
  }),

  yardCase('a failed pod is replaced after a pause', async (yard) => {
    await createJob(yard, { ...homeless(yard), backoffLimit: 1 });
    const [first] = await activePods(yard, 1);
    const from = yard.context.clock.now();
    await fail(yard, first);
    const [second] = await activePods(yard, 1);
    assert.notEqual(second?.metadata.uid, first?.metadata.uid);
    assert.ok(yard.context.clock.now() - from > 7000, 'it came at once');
    await yard.until<Job>(JOBS, 'work', 'has lost one', ({ status }) => status?.failed === 1 && status.active === 1);
  }),

  yardCase('a deleted pod of a Job counts as failed and is replaced', async (yard) => {
    await createJob(yard, { ...homeless(yard), parallelism: 2, completions: 2 });
    const [first] = await activePods(yard, 2);
    await yard.delete(PODS, first?.metadata.name ?? '');
    await yard.untilGone(PODS, first?.metadata.name ?? '');
    await yard.until<Job>(JOBS, 'work', 'has lost one', ({ status }) => status?.failed === 1);
  }),

  yardCase('a Job that takes too long fails and its pods go', async (yard) => {
    const states = await yard.record<Pod>(PODS); // who only asks now and then may miss pods that are there for so short
    await createJob(yard, { ...homeless(yard), parallelism: 2, activeDeadlineSeconds: 2 });
    const { status } = await ended(yard, 'Failed');
    assert.equal(findCondition(status?.conditions, 'Failed')?.reason, 'DeadlineExceeded');
    await yard.context.until('no pod is left', async () => (await yard.pods()).length === 0);
    await yard.caughtUp(PODS, states);
    const added = states.filter(({ change, object }) => change === 'ADDED' && object.status?.phase === 'Pending');
    assert.equal(added.length, 2);
  }),

  yardCase('a suspended Job has no pods until it is resumed', async (yard) => {
    await yard.node('a');
    await createJob(yard, { suspend: true });
    const suspended = await yard.until<Job>(
      JOBS,
      'work',
      'is suspended',
      ({ status }) => findCondition(status?.conditions, 'Suspended')?.status === 'True',
    );
    assert.equal(suspended.status?.startTime, undefined);
    assert.equal(findCondition(suspended.status?.conditions, 'Suspended')?.reason, 'JobSuspended');
    assert.equal((await yard.pods()).length, 0);
    await yard.merge(JOBS, 'work', { spec: { suspend: false } });
    const { status } = await ended(yard, 'Complete');
    assert.equal(findCondition(status?.conditions, 'Suspended')?.reason, 'JobResumed');
  }),

  yardCase('suspending a Job ends its pods without counting them', async (yard) => {
    await createJob(yard, { ...homeless(yard), parallelism: 2 });
    await activePods(yard, 2);
    await yard.merge(JOBS, 'work', { spec: { suspend: true } });
    await yard.context.until('no pod is left', async () => (await yard.pods()).length === 0);
    const { status } = await yard.until<Job>(JOBS, 'work', 'has none', (job) => job.status?.active === undefined);
    assert.equal(status?.failed, undefined);
  }),

  yardCase('deleting a Job takes its pods along', async (yard) => {
    await createJob(yard, { ...homeless(yard), parallelism: 2 });
    await activePods(yard, 2);
    await yard.delete(JOBS, 'work', { propagationPolicy: 'Background' });
    await yard.context.until('no pod is left', async () => (await yard.pods()).length === 0);
  }),
];
