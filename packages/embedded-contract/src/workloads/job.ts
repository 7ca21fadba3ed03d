import assert from 'node:assert/strict';
import { findCondition, type Job, JOBS, type Pod, PODS, timestamp } from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type WorkloadEnvironment, workloadCase } from './workload-environment.ts';

const TRACKING = 'batch.kubernetes.io/job-tracking';
const INDEX = 'batch.kubernetes.io/job-completion-index';

function createJob(env: WorkloadEnvironment, spec: Partial<Job['spec']> = {}): Promise<Job> {
  const { template = env.template({ restartPolicy: 'Never' }), ...rest } = spec;
  return env.create<Job>(JOBS, { metadata: { name: 'work' }, spec: { template, ...rest } });
}

function ended(env: WorkloadEnvironment, how: 'Complete' | 'Failed'): Promise<Job> {
  return env.until<Job>(JOBS, 'work', `is ${how}`, ({ status }) => findCondition({ status }, how)?.status === 'True');
}

function unschedulable(env: WorkloadEnvironment): { readonly template: Job['spec']['template'] } {
  return { template: env.unschedulableTemplate({ restartPolicy: 'Never' }) };
}

function activePods(env: WorkloadEnvironment, count: number): Promise<readonly Pod[]> {
  return env.context.until(`${count} pods`, async () => {
    const pods = (await env.pods()).filter(({ status }) => status?.phase === 'Pending');
    return pods.length === count && pods;
  });
}

/** With the time at which it was: of a pod that does not say, only that it was after its creation is known. */
async function fail(env: WorkloadEnvironment, pod: Pod | undefined): Promise<void> {
  const lastTransitionTime = timestamp(env.context.clock.now());
  const conditions = [{ type: 'Ready', status: 'False', reason: 'PodFailed', lastTransitionTime }];
  await env.merge(PODS, pod?.metadata.name ?? '', { status: { phase: 'Failed', conditions } }, 'status');
}

export const jobCases: readonly ContractCase[] = [
  workloadCase('a Job is complete when its pod has succeeded', async (env) => {
    await env.node('a');
    await createJob(env);
    const { status } = await ended(env, 'Complete');
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

  workloadCase('a pod of a Job is held until it is counted, and stays for its logs', async (env) => {
    await env.node('a');
    const states = await env.record<Pod>(PODS);
    await createJob(env);
    await ended(env, 'Complete');
    await env.caughtUp(PODS, states);
    assert.deepEqual(states[0]?.object.metadata.finalizers, [TRACKING]);
    await env.context.until('the pod is free', async () => {
      const [pod] = await env.pods();
      return pod?.status?.phase === 'Succeeded' && pod.metadata.finalizers === undefined;
    });
  }),

  workloadCase('a Job runs no more pods at once than it may, and as many as it needs', async (env) => {
    await env.node('a');
    const states = await env.record<Pod>(PODS);
    await createJob(env, { completions: 5, parallelism: 2 });
    const { status } = await ended(env, 'Complete');
    assert.equal(status?.succeeded, 5);
    assert.equal((await env.pods()).length, 5);
    await env.caughtUp(PODS, states);
    const active = new Set<string>();
    const counts = states.map(({ object }) => {
      const { name } = object.metadata;
      if (object.status?.phase === 'Succeeded') active.delete(name);
      else active.add(name);
      return active.size;
    });
    assert.ok(Math.max(...counts) <= 2, 'more than two pods were active at once');
  }),

  workloadCase('the pods of an indexed Job know which part is theirs', async (env) => {
    await env.node('a');
    await createJob(env, { completions: 3, parallelism: 3, completionMode: 'Indexed' });
    const { status } = await ended(env, 'Complete');
    assert.equal(status?.completedIndexes, '0-2');
    assert.equal(status?.succeeded, 3);
    const pods = await env.pods();
    const indexes = pods.map(({ metadata }) => metadata.annotations?.[INDEX]);
    assert.deepEqual(indexes, ['0', '1', '2']); // by name, which holds the index
    for (const { metadata, spec } of pods) {
      const index = metadata.annotations?.[INDEX];
      assert.equal(metadata.labels?.[INDEX], index);
      assert.equal(metadata.generateName, `work-${index}-`);
      assert.equal(spec.hostname, `work-${index}`);
      assert.equal(spec.containers?.[0]?.env?.[0]?.name, 'JOB_COMPLETION_INDEX');
    }
  }),

  workloadCase('a Job fails when more pods have failed than it may lose', async (env) => {
    await createJob(env, { ...unschedulable(env), backoffLimit: 0 });
    const [pod] = await activePods(env, 1);
    await fail(env, pod);
    const { status } = await ended(env, 'Failed');
    assert.equal(status?.failed, 1);
    assert.equal(status?.completionTime, undefined);
    assert.deepEqual(
      status?.conditions?.map(({ type }) => type),
      ['FailureTarget', 'Failed'],
    );
    const condition = findCondition({ status }, 'Failed');
    assert.equal(condition?.reason, 'BackoffLimitExceeded');
    assert.equal(condition?.message, 'Job has reached the specified backoff limit');
  }),

  workloadCase('of a pod that restarts in place, the restarts count', async (env) => {
    await createJob(env, {
      template: env.unschedulableTemplate({ restartPolicy: 'OnFailure' }),
      backoffLimit: 0,
    });
    const [pod] = await activePods(env, 1);
    const restarted = async (times: number): Promise<Pod> => {
      const main = { name: 'main', image: 'app', imageID: '', ready: true, restartCount: times };
      const status = { phase: 'Running', containerStatuses: [main] };
      return env.merge<Pod>(PODS, pod?.metadata.name ?? '', { status }, 'status');
    };
    await restarted(0);
    await env.until<Job>(JOBS, 'work', 'has seen it run', ({ status }) => status?.ready === 0 && status.active === 1);
    await restarted(1);
    const { status } = await ended(env, 'Failed');
    assert.equal(findCondition({ status }, 'Failed')?.reason, 'BackoffLimitExceeded');
  }),

  workloadCase('a failed pod is replaced after a pause', async (env) => {
    await createJob(env, { ...unschedulable(env), backoffLimit: 1 });
    const [first] = await activePods(env, 1);
    const from = env.context.clock.now();
    await fail(env, first);
    const [second] = await activePods(env, 1);
    assert.notEqual(second?.metadata.uid, first?.metadata.uid);
    assert.ok(env.context.clock.now() - from > 7000, 'it came at once');
    await env.until<Job>(JOBS, 'work', 'has lost one', ({ status }) => status?.failed === 1 && status.active === 1);
  }),

  workloadCase('a deleted pod of a Job counts as failed and is replaced', async (env) => {
    await createJob(env, { ...unschedulable(env), parallelism: 2, completions: 2 });
    const [first] = await activePods(env, 2);
    await env.delete(PODS, first?.metadata.name ?? '');
    await env.untilGone(PODS, first?.metadata.name ?? '');
    await env.until<Job>(JOBS, 'work', 'has lost one', ({ status }) => status?.failed === 1);
  }),

  workloadCase('a Job that takes too long fails and its pods go', async (env) => {
    const states = await env.record<Pod>(PODS); // who only asks now and then may miss pods that are there for so short
    await createJob(env, { ...unschedulable(env), parallelism: 2, activeDeadlineSeconds: 2 });
    const { status } = await ended(env, 'Failed');
    assert.equal(findCondition({ status }, 'Failed')?.reason, 'DeadlineExceeded');
    await env.context.until('no pod is left', async () => (await env.pods()).length === 0);
    await env.caughtUp(PODS, states);
    const added = states.filter(({ change, object }) => change === 'ADDED' && object.status?.phase === 'Pending');
    assert.equal(added.length, 2);
  }),

  workloadCase('a suspended Job has no pods until it is resumed', async (env) => {
    await env.node('a');
    await createJob(env, { suspend: true });
    const suspended = await env.until<Job>(
      JOBS,
      'work',
      'is suspended',
      ({ status }) => findCondition({ status }, 'Suspended')?.status === 'True',
    );
    assert.equal(suspended.status?.startTime, undefined);
    assert.equal(findCondition(suspended, 'Suspended')?.reason, 'JobSuspended');
    assert.equal((await env.pods()).length, 0);
    await env.merge(JOBS, 'work', { spec: { suspend: false } });
    const { status } = await ended(env, 'Complete');
    assert.equal(findCondition({ status }, 'Suspended')?.reason, 'JobResumed');
  }),

  workloadCase('suspending a Job ends its pods without counting them', async (env) => {
    await createJob(env, { ...unschedulable(env), parallelism: 2 });
    await activePods(env, 2);
    await env.merge(JOBS, 'work', { spec: { suspend: true } });
    await env.context.until('no pod is left', async () => (await env.pods()).length === 0);
    const { status } = await env.until<Job>(JOBS, 'work', 'has none', (job) => job.status?.active === undefined);
    assert.equal(status?.failed, undefined);
  }),

  workloadCase('deleting a Job takes its pods along', async (env) => {
    await createJob(env, { ...unschedulable(env), parallelism: 2 });
    await activePods(env, 2);
    await env.delete(JOBS, 'work', { propagationPolicy: 'Background' });
    await env.context.until('no pod is left', async () => (await env.pods()).length === 0);
  }),
];
