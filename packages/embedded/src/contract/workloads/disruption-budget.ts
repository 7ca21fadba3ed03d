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
import { type WorkloadFixture, workloadCase } from './workload-fixture.ts';

const SELECTOR = { matchLabels: { app: 'web' } };

function createBudget(fixture: WorkloadFixture, spec: Partial<DisruptionBudget['spec']>): Promise<DisruptionBudget> {
  return fixture.create<DisruptionBudget>(DISRUPTION_BUDGETS, {
    metadata: { name: 'web' },
    spec: { selector: SELECTOR, ...spec },
  });
}

/** A Deployment whose pods all run. */
async function deploy(fixture: WorkloadFixture, replicas: number): Promise<void> {
  await fixture.node('a');
  await fixture.create(DEPLOYMENTS, {
    metadata: { name: 'web' },
    spec: { replicas, selector: SELECTOR, template: fixture.template() },
  });
  await fixture.until<Deployment>(DEPLOYMENTS, 'web', 'is up', ({ status }) => status?.availableReplicas === replicas);
}

function counted(fixture: WorkloadFixture, counts: Partial<DisruptionBudgetStatus>): Promise<DisruptionBudget> {
  return fixture.until<DisruptionBudget>(DISRUPTION_BUDGETS, 'web', JSON.stringify(counts), ({ metadata, status }) => {
    const isSame = Object.entries(counts).every(
      ([name, count]) => status?.[name as keyof DisruptionBudgetStatus] === count,
    );
    return status?.observedGeneration === metadata.generation && isSame;
  });
}

export const disruptionBudgetCases: readonly ContractCase[] = [
  workloadCase('a budget of a minimum allows what is above it', async (fixture) => {
    await deploy(fixture, 3);
    await createBudget(fixture, { minAvailable: 2 });
    const { status } = await counted(fixture, { disruptionsAllowed: 1 });
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

  workloadCase('a budget of a share rounds up what must stay', async (fixture) => {
    await deploy(fixture, 3);
    await createBudget(fixture, { minAvailable: '50%' });
    await counted(fixture, { expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 });
  }),

  workloadCase('a budget of a maximum missing counts from what the workload wants', async (fixture) => {
    await deploy(fixture, 3);
    await createBudget(fixture, { maxUnavailable: 1 });
    await counted(fixture, { expectedPods: 3, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 });
    await fixture.merge(DEPLOYMENTS, 'web', { spec: { replicas: 5 } });
    await counted(fixture, { expectedPods: 5, desiredHealthy: 4, currentHealthy: 5, disruptionsAllowed: 1 });
  }),

  workloadCase('a share of what may be missing rounds up too', async (fixture) => {
    await deploy(fixture, 3);
    await createBudget(fixture, { maxUnavailable: '50%' });
    await counted(fixture, { expectedPods: 3, desiredHealthy: 1, disruptionsAllowed: 2 });
  }),

  workloadCase('a budget that selects no pods allows nothing', async (fixture) => {
    await createBudget(fixture, { minAvailable: 0 });
    const { status } = await counted(fixture, { expectedPods: 0, disruptionsAllowed: 0 });
    const allowed = findCondition(status?.conditions, 'DisruptionAllowed');
    assert.equal(allowed?.status, 'False');
    assert.equal(allowed?.reason, 'InsufficientPods');
  }),

  workloadCase('pods that do not run are not healthy', async (fixture) => {
    await deploy(fixture, 2);
    await fixture.pod('homeless', { nodeSelector: { 'workloads.test/fixture': 'nowhere' } });
    await createBudget(fixture, { minAvailable: 2 });
    await counted(fixture, { expectedPods: 3, currentHealthy: 2, desiredHealthy: 2, disruptionsAllowed: 0 });
  }),

  workloadCase('pods that nobody manages count for a plain minimum', async (fixture) => {
    await fixture.node('a');
    await fixture.pod('one');
    await fixture.pod('two');
    await createBudget(fixture, { minAvailable: 1 });
    await counted(fixture, { expectedPods: 2, currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1 });
  }),

  workloadCase('pods that nobody manages count for nothing where a size is asked for', async (fixture) => {
    await fixture.node('a');
    await fixture.pod('one');
    await createBudget(fixture, { maxUnavailable: 1 });
    await counted(fixture, { expectedPods: 0, currentHealthy: 1, desiredHealthy: 0, disruptionsAllowed: 0 });
  }),

  workloadCase('a budget over pods of a kind without a size cannot be worked out', async (fixture) => {
    const template = fixture.unschedulableTemplate({ restartPolicy: 'Never' });
    await fixture.create(JOBS, { metadata: { name: 'work' }, spec: { template } });
    await fixture.context.until('the pod', async () => (await fixture.pods()).length === 1);
    await createBudget(fixture, { maxUnavailable: 1 });
    const failing = await fixture.until<DisruptionBudget>(
      DISRUPTION_BUDGETS,
      'web',
      'fails',
      ({ status }) => findCondition(status?.conditions, 'DisruptionAllowed')?.reason === 'SyncFailed',
    );
    const condition = findCondition(failing.status?.conditions, 'DisruptionAllowed');
    assert.equal(condition?.message, 'jobs.batch does not implement the scale subresource');
    assert.equal(failing.status?.disruptionsAllowed, 0);
  }),

  workloadCase('a change of the budget is counted anew', async (fixture) => {
    await deploy(fixture, 2);
    await createBudget(fixture, { minAvailable: 2 });
    await counted(fixture, { disruptionsAllowed: 0 });
    await fixture.merge(DISRUPTION_BUDGETS, 'web', { spec: { minAvailable: 1 } });
    const { status } = await counted(fixture, { disruptionsAllowed: 1 });
    assert.equal(status?.observedGeneration, 2);
  }),

  workloadCase('an evicted pod is missing until it is replaced', async (fixture) => {
    await deploy(fixture, 2);
    await createBudget(fixture, { minAvailable: 1 });
    await counted(fixture, { disruptionsAllowed: 1 });
    const [pod] = await fixture.pods();
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: pod?.metadata.name ?? '', namespace: fixture.namespace },
    };
    await fixture.context.client.create(PODS, eviction, { subresource: 'eviction' });
    await fixture.untilGone(PODS, pod?.metadata.name ?? '');
    await counted(fixture, { currentHealthy: 2, disruptionsAllowed: 1 });
    const { status } = await fixture.get<DisruptionBudget>(DISRUPTION_BUDGETS, 'web');
    assert.equal(status?.disruptedPods, undefined);
  }),
];
