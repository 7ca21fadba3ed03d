import assert from 'node:assert/strict';
import { controllerOf } from '@karpenter-ts/kubernetes';
import { findCondition } from '../../workloads/kinds/condition.ts';
import { DISRUPTION_BUDGETS, type DisruptionBudget } from '../../workloads/kinds/disruption-budget.ts';
import { PODS } from '../../workloads/kinds/pod.ts';
import { REPLICA_SETS, type ReplicaSet } from '../../workloads/kinds/replica-set.ts';
import type { ContractCase } from '../contract-case.ts';
import { type WorkloadFixture, workloadCase } from './workload-fixture.ts';

const COST = 'controller.kubernetes.io/pod-deletion-cost';
const SELECTOR = { matchLabels: { app: 'web' } };

function createSet(fixture: WorkloadFixture, spec: Partial<ReplicaSet['spec']> = {}): Promise<ReplicaSet> {
  const { replicas = 2, template = fixture.template(), ...rest } = spec;
  return fixture.create<ReplicaSet>(REPLICA_SETS, {
    metadata: { name: 'web' },
    spec: { replicas, selector: SELECTOR, template, ...rest },
  });
}

function ready(fixture: WorkloadFixture, count: number): Promise<ReplicaSet> {
  return fixture.until<ReplicaSet>(REPLICA_SETS, 'web', `has ${count} ready pods`, ({ status }) =>
    [status?.replicas, status?.readyReplicas ?? 0].every((replicas) => replicas === count),
  );
}

function resize(fixture: WorkloadFixture, replicas: number): Promise<ReplicaSet> {
  return fixture.merge<ReplicaSet>(REPLICA_SETS, 'web', { spec: { replicas } });
}

/** Waits until the controllers know of so many pods: all share what they have seen, and a budget says how many. */
async function known(fixture: WorkloadFixture, count: number): Promise<void> {
  await fixture.create(DISRUPTION_BUDGETS, {
    metadata: { name: 'known' },
    spec: { selector: SELECTOR, minAvailable: 0 },
  });
  await fixture.until<DisruptionBudget>(
    DISRUPTION_BUDGETS,
    'known',
    `has counted ${count}`,
    ({ status }) => status?.expectedPods === count,
  );
}

export const replicaSetCases: readonly ContractCase[] = [
  workloadCase('a ReplicaSet replaces a pod that is deleted', async (fixture) => {
    await fixture.node('a');
    await createSet(fixture);
    await ready(fixture, 2);
    const [victim] = await fixture.pods();
    await fixture.delete(PODS, victim?.metadata.name ?? '');
    await fixture.context.until('two other pods', async () => {
      const pods = await fixture.pods();
      return pods.length === 2 && !pods.some(({ metadata }) => metadata.uid === victim?.metadata.uid);
    });
  }),

  workloadCase('a ReplicaSet replaces a pod that has failed, and keeps it', async (fixture) => {
    await createSet(fixture, { replicas: 1, template: fixture.unschedulableTemplate() });
    const [pod] = await fixture.context.until('the pod is there', async () => {
      const pods = await fixture.pods();
      return pods.length === 1 && pods;
    });
    await fixture.merge(PODS, pod?.metadata.name ?? '', { status: { phase: 'Failed' } }, 'status');
    await fixture.context.until('another pod', async () => (await fixture.pods()).length === 2);
    await fixture.until<ReplicaSet>(REPLICA_SETS, 'web', 'counts one', ({ status }) => status?.replicas === 1);
  }),

  workloadCase('the status of a ReplicaSet counts its pods', async (fixture) => {
    await fixture.node('a');
    await createSet(fixture, { replicas: 3 });
    const { status } = await ready(fixture, 3);
    assert.deepEqual(status, {
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    });
  }),

  workloadCase('a pod counts as available only after it has been ready for long enough', async (fixture) => {
    await fixture.node('a');
    const states = await fixture.record<ReplicaSet>(REPLICA_SETS);
    await createSet(fixture, { replicas: 1, minReadySeconds: 8 }); // a controller may be seconds late to see it ready
    await fixture.until<ReplicaSet>(
      REPLICA_SETS,
      'web',
      'is available',
      ({ status }) => status?.availableReplicas === 1,
    );
    await fixture.caughtUp(REPLICA_SETS, states);
    const early = states.find(({ object }) => object.status?.readyReplicas === 1);
    assert.equal(early?.object.status?.replicas, 1);
    assert.equal(early.object.status?.availableReplicas, undefined);
  }),

  workloadCase('a shrinking set lets pods go that no node has taken', async (fixture) => {
    await createSet(fixture, { replicas: 2, template: fixture.unschedulableTemplate() });
    await fixture.context.until('two pods wait', async () => (await fixture.pods()).length === 2);
    await fixture.node('a');
    await fixture.merge(REPLICA_SETS, 'web', { spec: { template: fixture.template() } });
    await resize(fixture, 4);
    await fixture.until<ReplicaSet>(
      REPLICA_SETS,
      'web',
      'has two ready pods',
      ({ status }) => status?.readyReplicas === 2,
    );
    await resize(fixture, 2);
    await ready(fixture, 2);
    assert.ok((await fixture.pods()).every(({ spec }) => spec.nodeName !== undefined));
  }),

  workloadCase('a shrinking set lets cheap pods go before dear ones', async (fixture) => {
    await fixture.node('a');
    await createSet(fixture, { replicas: 3, template: fixture.template({ labels: { app: 'web', cost: 'none' } }) });
    await ready(fixture, 3);
    const [first, second, third] = (await fixture.pods()).map(({ metadata }) => metadata.name);
    const price = (pod: string | undefined, cost: string): Promise<unknown> =>
      fixture.merge(PODS, pod ?? '', { metadata: { labels: { cost: null }, annotations: { [COST]: cost } } });
    await price(first, '10');
    await price(second, '-10');
    // That the controller knows the costs, too, shows in its count of pods that have all labels of the template.
    await fixture.until<ReplicaSet>(
      REPLICA_SETS,
      'web',
      'has seen both',
      ({ status }) => status?.fullyLabeledReplicas === 1,
    );
    await resize(fixture, 2);
    await fixture.untilGone(PODS, second ?? '');
    await resize(fixture, 1);
    await fixture.untilGone(PODS, third ?? '');
    assert.equal(await fixture.isGone(PODS, first ?? ''), false);
  }),

  workloadCase('a ReplicaSet adopts pods that match and belong to nobody', async (fixture) => {
    await fixture.node('a');
    const orphan = await fixture.pod('orphan');
    await known(fixture, 1); // or the set would begin with two pods of its own
    const set = await createSet(fixture);
    await ready(fixture, 2);
    const adopted = await fixture.get(PODS, 'orphan');
    assert.equal(adopted.metadata.uid, orphan.metadata.uid);
    assert.equal(controllerOf(adopted.metadata)?.uid, set.metadata.uid);
    assert.equal((await fixture.pods()).length, 2);
  }),

  workloadCase('a pod that no longer matches is let go and replaced', async (fixture) => {
    await fixture.node('a');
    await createSet(fixture);
    await ready(fixture, 2);
    const [pod] = await fixture.pods();
    const name = pod?.metadata.name ?? '';
    await fixture.merge(PODS, name, { metadata: { labels: { app: 'other' } } });
    await fixture.until(PODS, name, 'belongs to nobody', ({ metadata }) => controllerOf(metadata) === undefined);
    await fixture.context.until('a third pod', async () => (await fixture.pods('app=web')).length === 2);
  }),

  workloadCase('a ReplicaSet whose pods are refused says so', async (fixture) => {
    await createSet(fixture, { template: fixture.template({ priorityClassName: 'no-such-class' } as object) });
    const failing = await fixture.until<ReplicaSet>(
      REPLICA_SETS,
      'web',
      'fails',
      ({ status }) => findCondition(status?.conditions, 'ReplicaFailure')?.status === 'True',
    );
    const condition = findCondition(failing.status?.conditions, 'ReplicaFailure');
    assert.equal(condition?.reason, 'FailedCreate');
    assert.match(condition?.message ?? '', /no PriorityClass with name no-such-class was found/);
  }),
];
