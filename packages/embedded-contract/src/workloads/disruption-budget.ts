import assert from 'node:assert/strict';
import {
  type Deployment,
  DEPLOYMENTS,
  findCondition,
  JOBS,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  PODS,
} from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type WorkloadEnvironment, workloadCase } from './workload-environment.ts';

const SELECTOR = { matchLabels: { app: 'web' } };

function createBudget(
  env: WorkloadEnvironment,
  spec: Partial<PodDisruptionBudget['spec']>,
): Promise<PodDisruptionBudget> {
  return env.create<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, {
    metadata: { name: 'web' },
    spec: { selector: SELECTOR, ...spec },
  });
}

/** A Deployment whose pods all run. */
async function deploy(env: WorkloadEnvironment, replicas: number): Promise<void> {
  await env.node('a');
  await env.create(DEPLOYMENTS, {
    metadata: { name: 'web' },
    spec: { replicas, selector: SELECTOR, template: env.template() },
  });
  await env.until<Deployment>(DEPLOYMENTS, 'web', 'is up', ({ status }) => status?.availableReplicas === replicas);
}

function counted(env: WorkloadEnvironment, counts: Partial<PodDisruptionBudgetStatus>): Promise<PodDisruptionBudget> {
  return env.until<PodDisruptionBudget>(
    POD_DISRUPTION_BUDGETS,
    'web',
    JSON.stringify(counts),
    ({ metadata, status }) => {
      const isSame = Object.entries(counts).every(
        ([name, count]) => status?.[name as keyof PodDisruptionBudgetStatus] === count,
      );
      return status?.observedGeneration === metadata.generation && isSame;
    },
  );
}

export const disruptionBudgetCases: readonly ContractCase[] = [
  workloadCase('a budget of a minimum allows what is above it', async (env) => {
    await deploy(env, 3);
    await createBudget(env, { minAvailable: 2 });
    const { status } = await counted(env, { disruptionsAllowed: 1 });
    const { conditions, ...counters } = status ?? {};
    assert.deepEqual(counters, {
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      disruptionsAllowed: 1,
      observedGeneration: 1,
    });
    const allowed = findCondition({ status: { conditions } }, 'DisruptionAllowed');
    assert.equal(allowed?.status, 'True');
    assert.equal(allowed?.reason, 'SufficientPods');
    assert.equal(allowed?.observedGeneration, 1);
  }),

  workloadCase('a budget of a share rounds up what must stay', async (env) => {
    await deploy(env, 3);
    await createBudget(env, { minAvailable: '50%' });
    await counted(env, { expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 });
  }),

  workloadCase('a budget of a maximum missing counts from what the workload wants', async (env) => {
    await deploy(env, 3);
    await createBudget(env, { maxUnavailable: 1 });
    await counted(env, { expectedPods: 3, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 });
    await env.merge(DEPLOYMENTS, 'web', { spec: { replicas: 5 } });
    await counted(env, { expectedPods: 5, desiredHealthy: 4, currentHealthy: 5, disruptionsAllowed: 1 });
  }),

  workloadCase('a share of what may be missing rounds up too', async (env) => {
    await deploy(env, 3);
    await createBudget(env, { maxUnavailable: '50%' });
    await counted(env, { expectedPods: 3, desiredHealthy: 1, disruptionsAllowed: 2 });
  }),

  workloadCase('a budget that selects no pods allows nothing', async (env) => {
    await createBudget(env, { minAvailable: 0 });
    const { status } = await counted(env, { expectedPods: 0, disruptionsAllowed: 0 });
    const allowed = findCondition({ status }, 'DisruptionAllowed');
    assert.equal(allowed?.status, 'False');
    assert.equal(allowed?.reason, 'InsufficientPods');
  }),

  workloadCase('pods that do not run are not healthy', async (env) => {
    await deploy(env, 2);
    await env.pod('unschedulable', { nodeSelector: { 'workloads.test/environment': 'nowhere' } });
    await createBudget(env, { minAvailable: 2 });
    await counted(env, { expectedPods: 3, currentHealthy: 2, desiredHealthy: 2, disruptionsAllowed: 0 });
  }),

  workloadCase('pods that nobody manages count for a plain minimum', async (env) => {
    await env.node('a');
    await env.pod('one');
    await env.pod('two');
    await createBudget(env, { minAvailable: 1 });
    await counted(env, { expectedPods: 2, currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1 });
  }),

  workloadCase('pods that nobody manages count for nothing where a size is asked for', async (env) => {
    await env.node('a');
    await env.pod('one');
    await createBudget(env, { maxUnavailable: 1 });
    await counted(env, { expectedPods: 0, currentHealthy: 1, desiredHealthy: 0, disruptionsAllowed: 0 });
  }),

  workloadCase('a budget over pods of a kind without a size cannot be worked out', async (env) => {
    const template = env.unschedulableTemplate({ restartPolicy: 'Never' });
    await env.create(JOBS, { metadata: { name: 'work' }, spec: { template } });
    await env.context.until('the pod', async () => (await env.pods()).length === 1);
    await createBudget(env, { maxUnavailable: 1 });
    const failing = await env.until<PodDisruptionBudget>(
      POD_DISRUPTION_BUDGETS,
      'web',
      'fails',
      ({ status }) => findCondition({ status }, 'DisruptionAllowed')?.reason === 'SyncFailed',
    );
    const condition = findCondition(failing, 'DisruptionAllowed');
    assert.equal(condition?.message, 'jobs.batch does not implement the scale subresource');
    assert.equal(failing.status?.disruptionsAllowed, 0);
  }),

  workloadCase('a change of the budget is counted anew', async (env) => {
    await deploy(env, 2);
    await createBudget(env, { minAvailable: 2 });
    await counted(env, { disruptionsAllowed: 0 });
    await env.merge(POD_DISRUPTION_BUDGETS, 'web', { spec: { minAvailable: 1 } });
    const { status } = await counted(env, { disruptionsAllowed: 1 });
    assert.equal(status?.observedGeneration, 2);
  }),

  workloadCase('an evicted pod is missing until it is replaced', async (env) => {
    await deploy(env, 2);
    await createBudget(env, { minAvailable: 1 });
    await counted(env, { disruptionsAllowed: 1 });
    const [pod] = await env.pods();
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: pod?.metadata.name ?? '', namespace: env.namespace },
    };
    await env.context.client.create(PODS, eviction, { subresource: 'eviction' });
    await env.untilGone(PODS, pod?.metadata.name ?? '');
    await counted(env, { currentHealthy: 2, disruptionsAllowed: 1 });
    const { status } = await env.get<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, 'web');
    assert.equal(status?.disruptedPods, undefined);
  }),
];
