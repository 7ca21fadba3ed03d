import assert from 'node:assert/strict';
import { findCondition } from '../../workloads/kinds/condition.ts';
import { DEPLOYMENTS, type Deployment } from '../../workloads/kinds/deployment.ts';
import {
  DISRUPTION_BUDGETS,
  type DisruptionBudget,
  type DisruptionBudgetStatus,
} from '../../workloads/kinds/disruption-budget.ts';
import { JOBS } from '../../workloads/kinds/job.ts';
import { PODS } from '../../workloads/kinds/pod.ts';
import type { ContractCase } from '../contract-case.ts';
import { type Yard, yardCase } from './yard.ts';

const SELECTOR = { matchLabels: { app: 'web' } };

function createBudget(yard: Yard, spec: Partial<DisruptionBudget['spec']>): Promise<DisruptionBudget> {
  return yard.create<DisruptionBudget>(DISRUPTION_BUDGETS, {
    metadata: { name: 'web' },
    spec: { selector: SELECTOR, ...spec },
  });
}

/** A Deployment whose pods all run. */
async function deploy(yard: Yard, replicas: number): Promise<void> {
  await yard.node('a');
  await yard.create(DEPLOYMENTS, {
    metadata: { name: 'web' },
    spec: { replicas, selector: SELECTOR, template: yard.template() },
  });
  await yard.until<Deployment>(DEPLOYMENTS, 'web', 'is up', ({ status }) => status?.availableReplicas === replicas);
}

function counted(yard: Yard, counts: Partial<DisruptionBudgetStatus>): Promise<DisruptionBudget> {
  return yard.until<DisruptionBudget>(DISRUPTION_BUDGETS, 'web', JSON.stringify(counts), ({ metadata, status }) => {
    const isSame = Object.entries(counts).every(
      ([name, count]) => status?.[name as keyof DisruptionBudgetStatus] === count,
    );
    return status?.observedGeneration === metadata.generation && isSame;
  });
}

export const disruptionBudgetCases: readonly ContractCase[] = [
  yardCase('a budget of a minimum allows what is above it', async (yard) => {
    await deploy(yard, 3);
    await createBudget(yard, { minAvailable: 2 });
    const { status } = await counted(yard, { disruptionsAllowed: 1 });
    const { conditions, ...counters } = status ?? {};
    assert.deepEqual(counters, {
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      disruptionsAllowed: 1,
      observedGeneration: 1,
    });
    const allowed = findCondition(conditions, 'DisruptionAllowed');
    assert.equal(allowed?.status, 'True');
    assert.equal(allowed?.reason, 'SufficientPods');
    assert.equal(allowed?.observedGeneration, 1);
  }),

  yardCase('a budget of a share rounds up what must stay', async (yard) => {
    await deploy(yard, 3);
    await createBudget(yard, { minAvailable: '50%' });
    await counted(yard, { expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 });
  }),

  yardCase('a budget of a maximum missing counts from what the workload wants', async (yard) => {
    await deploy(yard, 3);
    await createBudget(yard, { maxUnavailable: 1 });
    await counted(yard, { expectedPods: 3, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 });
    await yard.merge(DEPLOYMENTS, 'web', { spec: { replicas: 5 } });
    await counted(yard, { expectedPods: 5, desiredHealthy: 4, currentHealthy: 5, disruptionsAllowed: 1 });
  }),

  yardCase('a share of what may be missing rounds up too', async (yard) => {
    await deploy(yard, 3);
    await createBudget(yard, { maxUnavailable: '50%' });
    await counted(yard, { expectedPods: 3, desiredHealthy: 1, disruptionsAllowed: 2 });
  }),

  yardCase('a budget that selects no pods allows nothing', async (yard) => {
    await createBudget(yard, { minAvailable: 0 });
    const { status } = await counted(yard, { expectedPods: 0, disruptionsAllowed: 0 });
    const allowed = findCondition(status?.conditions, 'DisruptionAllowed');
    assert.equal(allowed?.status, 'False');
    assert.equal(allowed?.reason, 'InsufficientPods');
  }),

  yardCase('pods that do not run are not healthy', async (yard) => {
    await deploy(yard, 2);
    await yard.pod('homeless', { nodeSelector: { 'workloads.test/yard': 'nowhere' } });
    await createBudget(yard, { minAvailable: 2 });
    await counted(yard, { expectedPods: 3, currentHealthy: 2, desiredHealthy: 2, disruptionsAllowed: 0 });
  }),

  yardCase('pods that nobody manages count for a plain minimum', async (yard) => {
    await yard.node('a');
    await yard.pod('one');
    await yard.pod('two');
    await createBudget(yard, { minAvailable: 1 });
    await counted(yard, { expectedPods: 2, currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1 });
  }),

  yardCase('pods that nobody manages count for nothing where a size is asked for', async (yard) => {
    await yard.node('a');
    await yard.pod('one');
    await createBudget(yard, { maxUnavailable: 1 });
    await counted(yard, { expectedPods: 0, currentHealthy: 1, desiredHealthy: 0, disruptionsAllowed: 0 });
  }),

  yardCase('a budget over pods of a kind without a size cannot be worked out', async (yard) => {
    const template = yard.homelessTemplate({ restartPolicy: 'Never' });
    await yard.create(JOBS, { metadata: { name: 'work' }, spec: { template } });
    await yard.context.until('the pod', async () => (await yard.pods()).length === 1);
    await createBudget(yard, { maxUnavailable: 1 });
    const failing = await yard.until<DisruptionBudget>(
      DISRUPTION_BUDGETS,
      'web',
      'fails',
      ({ status }) => findCondition(status?.conditions, 'DisruptionAllowed')?.reason === 'SyncFailed',
    );
    const condition = findCondition(failing.status?.conditions, 'DisruptionAllowed');
    assert.equal(condition?.message, 'jobs.batch does not implement the scale subresource');
    assert.equal(failing.status?.disruptionsAllowed, 0);
  }),

  yardCase('a change of the budget is counted anew', async (yard) => {
    await deploy(yard, 2);
    await createBudget(yard, { minAvailable: 2 });
    await counted(yard, { disruptionsAllowed: 0 });
    await yard.merge(DISRUPTION_BUDGETS, 'web', { spec: { minAvailable: 1 } });
    const { status } = await counted(yard, { disruptionsAllowed: 1 });
    assert.equal(status?.observedGeneration, 2);
  }),

  yardCase('an evicted pod is missing until it is replaced', async (yard) => {
    await deploy(yard, 2);
    await createBudget(yard, { minAvailable: 1 });
    await counted(yard, { disruptionsAllowed: 1 });
    const [pod] = await yard.pods();
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: pod?.metadata.name ?? '', namespace: yard.namespace },
    };
    await yard.context.client.create(PODS, eviction, { subresource: 'eviction' });
    await yard.untilGone(PODS, pod?.metadata.name ?? '');
    await counted(yard, { currentHealthy: 2, disruptionsAllowed: 1 });
    const { status } = await yard.get<DisruptionBudget>(DISRUPTION_BUDGETS, 'web');
    assert.equal(status?.disruptedPods, undefined);
  }),
];
