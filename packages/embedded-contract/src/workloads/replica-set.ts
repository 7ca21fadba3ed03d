import assert from 'node:assert/strict';
import {
  controllerOf,
  findCondition,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  PODS,
  REPLICA_SETS,
  type ReplicaSet,
} from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type WorkloadEnvironment, workloadCase } from './workload-environment.ts';

const COST = 'controller.kubernetes.io/pod-deletion-cost';
const SELECTOR = { matchLabels: { app: 'web' } };

function createSet(env: WorkloadEnvironment, spec: Partial<ReplicaSet['spec']> = {}): Promise<ReplicaSet> {
  const { replicas = 2, template = env.template(), ...rest } = spec;
  return env.create<ReplicaSet>(REPLICA_SETS, {
    metadata: { name: 'web' },
    spec: { replicas, selector: SELECTOR, template, ...rest },
  });
}

function ready(env: WorkloadEnvironment, count: number): Promise<ReplicaSet> {
  return env.until<ReplicaSet>(REPLICA_SETS, 'web', `has ${count} ready pods`, ({ status }) =>
    [status?.replicas, status?.readyReplicas ?? 0].every((replicas) => replicas === count),
  );
}

function resize(env: WorkloadEnvironment, replicas: number): Promise<ReplicaSet> {
  return env.merge<ReplicaSet>(REPLICA_SETS, 'web', { spec: { replicas } });
}

/** Waits until the controllers know of so many pods: all share what they have seen, and a budget says how many. */
async function known(env: WorkloadEnvironment, count: number): Promise<void> {
  await env.create(POD_DISRUPTION_BUDGETS, {
    metadata: { name: 'known' },
    spec: { selector: SELECTOR, minAvailable: 0 },
  });
  await env.until<PodDisruptionBudget>(
    POD_DISRUPTION_BUDGETS,
    'known',
    `has counted ${count}`,
    ({ status }) => status?.expectedPods === count,
  );
}

export const replicaSetCases: readonly ContractCase[] = [
  workloadCase('a ReplicaSet replaces a pod that is deleted', async (env) => {
    await env.node('a');
    await createSet(env);
    await ready(env, 2);
    const [victim] = await env.pods();
    await env.delete(PODS, victim?.metadata.name ?? '');
    await env.context.until('two other pods', async () => {
      const pods = await env.pods();
      return pods.length === 2 && !pods.some(({ metadata }) => metadata.uid === victim?.metadata.uid);
    });
  }),

  workloadCase('a ReplicaSet replaces a pod that has failed, and keeps it', async (env) => {
    await createSet(env, { replicas: 1, template: env.unschedulableTemplate() });
    const [pod] = await env.context.until('the pod is there', async () => {
      const pods = await env.pods();
      return pods.length === 1 && pods;
    });
    await env.merge(PODS, pod?.metadata.name ?? '', { status: { phase: 'Failed' } }, 'status');
    await env.context.until('another pod', async () => (await env.pods()).length === 2);
    await env.until<ReplicaSet>(REPLICA_SETS, 'web', 'counts one', ({ status }) => status?.replicas === 1);
  }),

  workloadCase('the status of a ReplicaSet counts its pods', async (env) => {
    await env.node('a');
    await createSet(env, { replicas: 3 });
    const { status } = await ready(env, 3);
    assert.deepEqual(status, {
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    });
  }),

  workloadCase('a pod counts as available only after it has been ready for long enough', async (env) => {
    await env.node('a');
    const states = await env.record<ReplicaSet>(REPLICA_SETS);
    await createSet(env, { replicas: 1, minReadySeconds: 8 }); // a controller may be seconds late to see it ready
    await env.until<ReplicaSet>(REPLICA_SETS, 'web', 'is available', ({ status }) => status?.availableReplicas === 1);
    await env.caughtUp(REPLICA_SETS, states);
    const early = states.find(({ object }) => object.status?.readyReplicas === 1);
    assert.equal(early?.object.status?.replicas, 1);
    assert.equal(early.object.status?.availableReplicas, undefined);
  }),

  workloadCase('a shrinking set lets pods go that no node has taken', async (env) => {
    await createSet(env, { replicas: 2, template: env.unschedulableTemplate() });
    await env.context.until('two pods wait', async () => (await env.pods()).length === 2);
    await env.node('a');
    await env.merge(REPLICA_SETS, 'web', { spec: { template: env.template() } });
    await resize(env, 4);
    await env.until<ReplicaSet>(REPLICA_SETS, 'web', 'has two ready pods', ({ status }) => status?.readyReplicas === 2);
    await resize(env, 2);
    await ready(env, 2);
    assert.ok((await env.pods()).every(({ spec }) => spec.nodeName !== undefined));
  }),

  workloadCase('a shrinking set lets cheap pods go before dear ones', async (env) => {
    await env.node('a');
    await createSet(env, { replicas: 3, template: env.template({ labels: { app: 'web', cost: 'none' } }) });
    await ready(env, 3);
    const [first, second, third] = (await env.pods()).map(({ metadata }) => metadata.name);
    const price = (pod: string | undefined, cost: string): Promise<unknown> =>
      env.merge(PODS, pod ?? '', { metadata: { labels: { cost: null }, annotations: { [COST]: cost } } });
    await price(first, '10');
    await price(second, '-10');
    // That the controller knows the costs, too, shows in its count of pods that have all labels of the template.
    await env.until<ReplicaSet>(
      REPLICA_SETS,
      'web',
      'has seen both',
      ({ status }) => status?.fullyLabeledReplicas === 1,
    );
    await resize(env, 2);
    await env.untilGone(PODS, second ?? '');
    await resize(env, 1);
    await env.untilGone(PODS, third ?? '');
    assert.equal(await env.isGone(PODS, first ?? ''), false);
  }),

  workloadCase('a ReplicaSet adopts pods that match and belong to nobody', async (env) => {
    await env.node('a');
    const orphan = await env.pod('orphan');
    await known(env, 1); // or the set would begin with two pods of its own
    const set = await createSet(env);
    await ready(env, 2);
    const adopted = await env.get(PODS, 'orphan');
    assert.equal(adopted.metadata.uid, orphan.metadata.uid);
    assert.equal(controllerOf(adopted.metadata)?.uid, set.metadata.uid);
    assert.equal((await env.pods()).length, 2);
  }),

  workloadCase('a pod that no longer matches is let go and replaced', async (env) => {
    await env.node('a');
    await createSet(env);
    await ready(env, 2);
    const [pod] = await env.pods();
    const name = pod?.metadata.name ?? '';
    await env.merge(PODS, name, { metadata: { labels: { app: 'other' } } });
    await env.until(PODS, name, 'belongs to nobody', ({ metadata }) => controllerOf(metadata) === undefined);
    await env.context.until('a third pod', async () => (await env.pods('app=web')).length === 2);
  }),

  workloadCase('a ReplicaSet whose pods are refused says so', async (env) => {
    await createSet(env, { template: env.template({ priorityClassName: 'no-such-class' }) });
    const failing = await env.until<ReplicaSet>(
      REPLICA_SETS,
      'web',
      'fails',
      ({ status }) => findCondition({ status }, 'ReplicaFailure')?.status === 'True',
    );
    const condition = findCondition(failing, 'ReplicaFailure');
    assert.equal(condition?.reason, 'FailedCreate');
    assert.match(condition?.message ?? '', /no PriorityClass with name no-such-class was found/);
  }),
];
