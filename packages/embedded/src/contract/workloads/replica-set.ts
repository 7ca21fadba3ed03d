import assert from 'node:assert/strict';
import { controllerOf } from '../../workloads/controller-ref.ts';
import { findCondition } from '../../workloads/kinds/condition.ts';
import { DISRUPTION_BUDGETS, type DisruptionBudget } from '../../workloads/kinds/disruption-budget.ts';
import { PODS } from '../../workloads/kinds/pod.ts';
import { REPLICA_SETS, type ReplicaSet } from '../../workloads/kinds/replica-set.ts';
import type { ContractCase } from '../contract-case.ts';
import { type Yard, yardCase } from './yard.ts';

const COST = 'controller.kubernetes.io/pod-deletion-cost';
const SELECTOR = { matchLabels: { app: 'web' } };

function createSet(yard: Yard, spec: Partial<ReplicaSet['spec']> = {}): Promise<ReplicaSet> {
  const { replicas = 2, template = yard.template(), ...rest } = spec;
  return yard.create<ReplicaSet>(REPLICA_SETS, {
    metadata: { name: 'web' },
    spec: { replicas, selector: SELECTOR, template, ...rest },
  });
}

function ready(yard: Yard, count: number): Promise<ReplicaSet> {
  return yard.until<ReplicaSet>(REPLICA_SETS, 'web', `has ${count} ready pods`, ({ status }) =>
    [status?.replicas, status?.readyReplicas ?? 0].every((replicas) => replicas === count),
  );
}

function resize(yard: Yard, replicas: number): Promise<ReplicaSet> {
  return yard.merge<ReplicaSet>(REPLICA_SETS, 'web', { spec: { replicas } });
}

/** Waits until the controllers know of so many pods: all share what they have seen, and a budget says how many. */
async function known(yard: Yard, count: number): Promise<void> {
  await yard.create(DISRUPTION_BUDGETS, { metadata: { name: 'known' }, spec: { selector: SELECTOR, minAvailable: 0 } });
  await yard.until<DisruptionBudget>(
    DISRUPTION_BUDGETS,
    'known',
    `has counted ${count}`,
    ({ status }) => status?.expectedPods === count,
  );
}

export const replicaSetCases: readonly ContractCase[] = [
  yardCase('a ReplicaSet replaces a pod that is deleted', async (yard) => {
    await yard.node('a');
    await createSet(yard);
    await ready(yard, 2);
    const [victim] = await yard.pods();
    await yard.delete(PODS, victim?.metadata.name ?? '');
    await yard.context.until('two other pods', async () => {
      const pods = await yard.pods();
      return pods.length === 2 && !pods.some(({ metadata }) => metadata.uid === victim?.metadata.uid);
    });
  }),

  yardCase('a ReplicaSet replaces a pod that has failed, and keeps it', async (yard) => {
    await createSet(yard, { replicas: 1, template: yard.homelessTemplate() });
    const [pod] = await yard.context.until('the pod is there', async () => {
      const pods = await yard.pods();
      return pods.length === 1 && pods;
    });
    await yard.merge(PODS, pod?.metadata.name ?? '', { status: { phase: 'Failed' } }, 'status');
    await yard.context.until('another pod', async () => (await yard.pods()).length === 2);
    await yard.until<ReplicaSet>(REPLICA_SETS, 'web', 'counts one', ({ status }) => status?.replicas === 1);
  }),

  yardCase('the status of a ReplicaSet counts its pods', async (yard) => {
    await yard.node('a');
    await createSet(yard, { replicas: 3 });
    const { status } = await ready(yard, 3);
    assert.deepEqual(status, {
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    });
  }),

  yardCase('a pod counts as available only after it has been ready for long enough', async (yard) => {
    await yard.node('a');
    const states = await yard.record<ReplicaSet>(REPLICA_SETS);
    await createSet(yard, { replicas: 1, minReadySeconds: 8 }); // a controller may be seconds late to see it ready
    await yard.until<ReplicaSet>(REPLICA_SETS, 'web', 'is available', ({ status }) => status?.availableReplicas === 1);
    await yard.caughtUp(REPLICA_SETS, states);
    const early = states.find(({ object }) => object.status?.readyReplicas === 1);
    assert.equal(early?.object.status?.replicas, 1);
    assert.equal(early.object.status?.availableReplicas, undefined);
  }),

  yardCase('a shrinking set lets pods go that no node has taken', async (yard) => {
    await createSet(yard, { replicas: 2, template: yard.homelessTemplate() });
    await yard.context.until('two pods wait', async () => (await yard.pods()).length === 2);
    await yard.node('a');
    await yard.merge(REPLICA_SETS, 'web', { spec: { template: yard.template() } });
    await resize(yard, 4);
    await yard.until<ReplicaSet>(
      REPLICA_SETS,
      'web',
      'has two ready pods',
      ({ status }) => status?.readyReplicas === 2,
    );
    await resize(yard, 2);
    await ready(yard, 2);
    assert.ok((await yard.pods()).every(({ spec }) => spec.nodeName !== undefined));
  }),

  yardCase('a shrinking set lets cheap pods go before dear ones', async (yard) => {
    await yard.node('a');
    await createSet(yard, { replicas: 3, template: yard.template({ labels: { app: 'web', cost: 'none' } }) });
    await ready(yard, 3);
    const [first, second, third] = (await yard.pods()).map(({ metadata }) => metadata.name);
    const price = (pod: string | undefined, cost: string): Promise<unknown> =>
      yard.merge(PODS, pod ?? '', { metadata: { labels: { cost: null }, annotations: { [COST]: cost } } });
    await price(first, '10');
    await price(second, '-10');
    // That the controller knows the costs, too, shows in its count of pods that have all labels of the template.
    await yard.until<ReplicaSet>(
      REPLICA_SETS,
      'web',
      'has seen both',
      ({ status }) => status?.fullyLabeledReplicas === 1,
    );
    await resize(yard, 2);
    await yard.untilGone(PODS, second ?? '');
    await resize(yard, 1);
    await yard.untilGone(PODS, third ?? '');
    assert.equal(await yard.isGone(PODS, first ?? ''), false);
  }),

  yardCase('a ReplicaSet adopts pods that match and belong to nobody', async (yard) => {
    await yard.node('a');
    const orphan = await yard.pod('orphan');
    await known(yard, 1); // or the set would begin with two pods of its own
    const set = await createSet(yard);
    await ready(yard, 2);
    const adopted = await yard.get(PODS, 'orphan');
    assert.equal(adopted.metadata.uid, orphan.metadata.uid);
    assert.equal(controllerOf(adopted.metadata)?.uid, set.metadata.uid);
    assert.equal((await yard.pods()).length, 2);
  }),

  yardCase('a pod that no longer matches is let go and replaced', async (yard) => {
    await yard.node('a');
    await createSet(yard);
    await ready(yard, 2);
    const [pod] = await yard.pods();
    const name = pod?.metadata.name ?? '';
    await yard.merge(PODS, name, { metadata: { labels: { app: 'other' } } });
    await yard.until(PODS, name, 'belongs to nobody', ({ metadata }) => controllerOf(metadata) === undefined);
    await yard.context.until('a third pod', async () => (await yard.pods('app=web')).length === 2);
  }),

  yardCase('a ReplicaSet whose pods are refused says so', async (yard) => {
    await createSet(yard, { template: yard.template({ priorityClassName: 'no-such-class' } as object) });
    const failing = await yard.until<ReplicaSet>(
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
