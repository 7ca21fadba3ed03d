import assert from 'node:assert/strict';
import { findCondition } from '../../workloads/kinds/condition.ts';
import { JOBS, type Job } from '../../workloads/kinds/job.ts';
import { PODS, type Pod } from '../../workloads/kinds/pod.ts';
import { timestamp } from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type WorkloadFixture, workloadCase } from './workload-fixture.ts';

const TRACKING = 'batch.kubernetes.io/job-tracking';
const INDEX = 'batch.kubernetes.io/job-completion-index';

function createJob(fixture: WorkloadFixture, spec: Partial<Job['spec']> = {}): Promise<Job> {
  const { template = fixture.template({ restartPolicy: 'Never' }), ...rest } = spec;
  return fixture.create<Job>(JOBS, { metadata: { name: 'work' }, spec: { template, ...rest } });
}

function ended(fixture: WorkloadFixture, how: 'Complete' | 'Failed'): Promise<Job> {
  return fixture.until<Job>(
    JOBS,
    'work',
    `is ${how}`,
    ({ status }) => findCondition(status?.conditions, how)?.status === 'True',
  );
}

function unschedulable(fixture: WorkloadFixture): { readonly template: Job['spec']['template'] } {
  return { template: fixture.unschedulableTemplate({ restartPolicy: 'Never' }) };
}

function activePods(fixture: WorkloadFixture, count: number): Promise<readonly Pod[]> {
  return fixture.context.until(`${count} pods`, async () => {
    const pods = (await fixture.pods()).filter(({ status }) => status?.phase === 'Pending');
    return pods.length === count && pods;
  });
}

/** With the time at which it was: of a pod that does not say, only that it was after its creation is known. */
async function fail(fixture: WorkloadFixture, pod: Pod | undefined): Promise<void> {
  const lastTransitionTime = timestamp(fixture.context.clock.now());
  const conditions = [{ type: 'Ready', status: 'False', reason: 'PodFailed', lastTransitionTime }];
  await fixture.merge(PODS, pod?.metadata.name ?? '', { status: { phase: 'Failed', conditions } }, 'status');
}

export const jobCases: readonly ContractCase[] = [
  workloadCase('a Job is complete when its pod has succeeded', async (fixture) => {
    await fixture.node('a');
    await createJob(fixture);
    const { status } = await ended(fixture, 'Complete');
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

  workloadCase('a pod of a Job is held until it is counted, and stays for its logs', async (fixture) => {
    await fixture.node('a');
    const states = await fixture.record<Pod>(PODS);
    await createJob(fixture);
    await ended(fixture, 'Complete');
    await fixture.caughtUp(PODS, states);
    assert.deepEqual(states[0]?.object.metadata.finalizers, [TRACKING]);
    await fixture.context.until('the pod is free', async () => {
      const [pod] = await fixture.pods();
      return pod?.status?.phase === 'Succeeded' && pod.metadata.finalizers === undefined;
    });
  }),

  workloadCase('a Job runs no more pods at once than it may, and as many as it needs', async (fixture) => {
    await fixture.node('a');
    const states = await fixture.record<Pod>(PODS);
    await createJob(fixture, { completions: 5, parallelism: 2 });
    const { status } = await ended(fixture, 'Complete');
    assert.equal(status?.succeeded, 5);
    assert.equal((await fixture.pods()).length, 5);
    await fixture.caughtUp(PODS, states);
    const active = new Set<string>();
    const counts = states.map(({ object }) => {
      const { name } = object.metadata;
      if (object.status?.phase === 'Succeeded') active.delete(name);
      else active.add(name);
      return active.size;
    });
    assert.ok(Math.max(...counts) <= 2, 'more than two pods were active at once');
  }),

  workloadCase('the pods of an indexed Job know which part is theirs', async (fixture) => {
    await fixture.node('a');
    await createJob(fixture, { completions: 3, parallelism: 3, completionMode: 'Indexed' });
    const { status } = await ended(fixture, 'Complete');
    assert.equal(status?.completedIndexes, '0-2');
    assert.equal(status?.succeeded, 3);
    const pods = await fixture.pods();
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

  workloadCase('a Job fails when more pods have failed than it may lose', async (fixture) => {
    await createJob(fixture, { ...unschedulable(fixture), backoffLimit: 0 });
    const [pod] = await activePods(fixture, 1);
    await fail(fixture, pod);
    const { status } = await ended(fixture, 'Failed');
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

  workloadCase('of a pod that restarts in place, the restarts count', async (fixture) => {
    await createJob(fixture, {
      template: fixture.unschedulableTemplate({ restartPolicy: 'OnFailure' }),
      backoffLimit: 0,
    });
    const [pod] = await activePods(fixture, 1);
    const restarted = async (times: number): Promise<Pod> => {
      const main = { name: 'main', image: 'app', imageID: '', ready: true, restartCount: times };
      const status = { phase: 'Running', containerStatuses: [main] };
      return fixture.merge<Pod>(PODS, pod?.metadata.name ?? '', { status }, 'status');
    };
    await restarted(0);
    await fixture.until<Job>(
      JOBS,
      'work',
      'has seen it run',
      ({ status }) => status?.ready === 0 && status.active === 1,
    );
    await restarted(1);
    const { status } = await ended(fixture, 'Failed');
    assert.equal(findCondition(status?.conditions, 'Failed')?.reason, 'BackoffLimitExceeded');
  }),

  workloadCase('a failed pod is replaced after a pause', async (fixture) => {
    await createJob(fixture, { ...unschedulable(fixture), backoffLimit: 1 });
    const [first] = await activePods(fixture, 1);
    const from = fixture.context.clock.now();
    await fail(fixture, first);
    const [second] = await activePods(fixture, 1);
    assert.notEqual(second?.metadata.uid, first?.metadata.uid);
    assert.ok(fixture.context.clock.now() - from > 7000, 'it came at once');
    await fixture.until<Job>(JOBS, 'work', 'has lost one', ({ status }) => status?.failed === 1 && status.active === 1);
  }),

  workloadCase('a deleted pod of a Job counts as failed and is replaced', async (fixture) => {
    await createJob(fixture, { ...unschedulable(fixture), parallelism: 2, completions: 2 });
    const [first] = await activePods(fixture, 2);
    await fixture.delete(PODS, first?.metadata.name ?? '');
    await fixture.untilGone(PODS, first?.metadata.name ?? '');
    await fixture.until<Job>(JOBS, 'work', 'has lost one', ({ status }) => status?.failed === 1);
  }),

  workloadCase('a Job that takes too long fails and its pods go', async (fixture) => {
    const states = await fixture.record<Pod>(PODS); // who only asks now and then may miss pods that are there for so short
    await createJob(fixture, { ...unschedulable(fixture), parallelism: 2, activeDeadlineSeconds: 2 });
    const { status } = await ended(fixture, 'Failed');
    assert.equal(findCondition(status?.conditions, 'Failed')?.reason, 'DeadlineExceeded');
    await fixture.context.until('no pod is left', async () => (await fixture.pods()).length === 0);
    await fixture.caughtUp(PODS, states);
    const added = states.filter(({ change, object }) => change === 'ADDED' && object.status?.phase === 'Pending');
    assert.equal(added.length, 2);
  }),

  workloadCase('a suspended Job has no pods until it is resumed', async (fixture) => {
    await fixture.node('a');
    await createJob(fixture, { suspend: true });
    const suspended = await fixture.until<Job>(
      JOBS,
      'work',
      'is suspended',
      ({ status }) => findCondition(status?.conditions, 'Suspended')?.status === 'True',
    );
    assert.equal(suspended.status?.startTime, undefined);
    assert.equal(findCondition(suspended.status?.conditions, 'Suspended')?.reason, 'JobSuspended');
    assert.equal((await fixture.pods()).length, 0);
    await fixture.merge(JOBS, 'work', { spec: { suspend: false } });
    const { status } = await ended(fixture, 'Complete');
    assert.equal(findCondition(status?.conditions, 'Suspended')?.reason, 'JobResumed');
  }),

  workloadCase('suspending a Job ends its pods without counting them', async (fixture) => {
    await createJob(fixture, { ...unschedulable(fixture), parallelism: 2 });
    await activePods(fixture, 2);
    await fixture.merge(JOBS, 'work', { spec: { suspend: true } });
    await fixture.context.until('no pod is left', async () => (await fixture.pods()).length === 0);
    const { status } = await fixture.until<Job>(JOBS, 'work', 'has none', (job) => job.status?.active === undefined);
    assert.equal(status?.failed, undefined);
  }),

  workloadCase('deleting a Job takes its pods along', async (fixture) => {
    await createJob(fixture, { ...unschedulable(fixture), parallelism: 2 });
    await activePods(fixture, 2);
    await fixture.delete(JOBS, 'work', { propagationPolicy: 'Background' });
    await fixture.context.until('no pod is left', async () => (await fixture.pods()).length === 0);
  }),
];
