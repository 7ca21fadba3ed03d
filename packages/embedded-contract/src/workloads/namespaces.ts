import assert from 'node:assert/strict';
import { type ApiObject, DEPLOYMENTS, findCondition, type Namespace, NAMESPACES, PODS } from '@karpenter-ts/kubernetes';
import { StatusError } from '@karpenter-ts/runtime';
import type { ContractCase, ContractContext } from '../contract-case.ts';
import { CONFIG_MAPS, WorkloadEnvironment, workloadCase } from './workload-environment.ts';

const HELD = 'workloads.test/held';

/** An environment in a namespace that the case may delete. */
async function environmentInNewNamespace({ context }: WorkloadEnvironment): Promise<WorkloadEnvironment> {
  const { client } = context;
  const namespace = context.unique('doomed');
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  context.defer(() => client.delete(NAMESPACES, { name: namespace }));
  return new WorkloadEnvironment({ ...context, namespace } satisfies ContractContext);
}

/** A real control plane that is busy with other namespaces takes its time. */
async function patiently<T>(wait: () => Promise<T>): Promise<T> {
  for (let tries = 1; tries < 6; tries++) {
    try {
      return await wait();
    } catch (error) {
      if (!(error as Error).message.startsWith('still waiting')) throw error;
    }
  }
  return wait();
}

export const namespaceCases: readonly ContractCase[] = [
  workloadCase('a namespace takes all it holds along', async (env) => {
    const inner = await environmentInNewNamespace(env);
    await inner.create(CONFIG_MAPS, { metadata: { name: 'config' } });
    const selector = { matchLabels: { app: 'web' } };
    await inner.create(DEPLOYMENTS, {
      metadata: { name: 'web' },
      spec: { replicas: 2, selector, template: inner.unschedulableTemplate() },
    });
    await inner.context.until('two pods', async () => (await inner.pods()).length === 2);
    await inner.delete(NAMESPACES, inner.namespace);
    await patiently(() => inner.untilGone(NAMESPACES, inner.namespace));
    assert.equal((await inner.pods()).length, 0);
    assert.ok(await inner.isGone(CONFIG_MAPS, 'config'));
  }),

  workloadCase('a new namespace is active and held by Kubernetes', async (env) => {
    const { metadata, spec, status } = await env.get<Namespace>(NAMESPACES, env.namespace);
    assert.deepEqual(spec?.finalizers, ['kubernetes']);
    assert.equal(status?.phase, 'Active');
    assert.equal(metadata.labels?.['kubernetes.io/metadata.name'], env.namespace);
  }),

  workloadCase('nothing new comes into a namespace that is going', async (env) => {
    const inner = await environmentInNewNamespace(env);
    await inner.create(CONFIG_MAPS, { metadata: { name: 'held', finalizers: [HELD] } });
    await inner.delete(NAMESPACES, inner.namespace);
    const { metadata } = await inner.until<Namespace>(
      NAMESPACES,
      inner.namespace,
      'is going',
      ({ status }) => status?.phase === 'Terminating',
    );
    assert.ok(metadata.deletionTimestamp);
    await assert.rejects(inner.create(CONFIG_MAPS, { metadata: { name: 'late' } }), (error) => {
      assert.ok(error instanceof StatusError);
      assert.equal(error.code, 403);
      assert.ok(error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating'));
      return true;
    });
    await inner.merge(CONFIG_MAPS, 'held', { metadata: { finalizers: null } });
  }),

  workloadCase('a namespace tells what it is waiting for', async (env) => {
    const inner = await environmentInNewNamespace(env);
    await inner.create(CONFIG_MAPS, { metadata: { name: 'held', finalizers: [HELD] } });
    await inner.delete(NAMESPACES, inner.namespace);
    const waiting = await patiently(() =>
      inner.until<Namespace>(NAMESPACES, inner.namespace, 'waits', ({ status }) => {
        const isWaiting = findCondition({ status }, 'NamespaceFinalizersRemaining')?.status === 'True';
        // Kinds of other cases that come and go may spoil one look at all there are, not each.
        const isDiscovered = findCondition({ status }, 'NamespaceDeletionDiscoveryFailure')?.status === 'False';
        return isWaiting && isDiscovered;
      }),
    );
    const messageOf = (type: string): string | undefined => findCondition(waiting, type)?.message;
    assert.equal(
      messageOf('NamespaceContentRemaining'),
      'Some resources are remaining: configmaps. has 1 resource instances',
    );
    assert.equal(
      messageOf('NamespaceFinalizersRemaining'),
      `Some content in the namespace has finalizers remaining: ${HELD} in 1 resource instances`,
    );
    assert.equal(messageOf('NamespaceDeletionDiscoveryFailure'), 'All resources successfully discovered');
    const held = await inner.get<ApiObject>(CONFIG_MAPS, 'held');
    assert.ok(held.metadata.deletionTimestamp);
    await inner.merge(CONFIG_MAPS, 'held', { metadata: { finalizers: null } });
    await inner.untilGone(CONFIG_MAPS, 'held');
  }),

  workloadCase('pods leave a namespace before everything else', async (env) => {
    const inner = await environmentInNewNamespace(env);
    await inner.create(CONFIG_MAPS, { metadata: { name: 'config' } });
    const { metadata, spec } = inner.unschedulableTemplate();
    await inner.create(PODS, { metadata: { ...metadata, name: 'held', finalizers: [HELD] }, spec });
    await inner.delete(NAMESPACES, inner.namespace);
    await patiently(() =>
      inner.until(PODS, 'held', 'is terminating', (pod) => pod.metadata.deletionTimestamp !== undefined),
    );
    await inner.context.clock.sleep(1000);
    assert.equal(await inner.isGone(CONFIG_MAPS, 'config'), false);
    await inner.merge(PODS, 'held', { metadata: { finalizers: null } });
    await inner.untilGone(PODS, 'held');
  }),
];
