import assert from 'node:assert/strict';
import {
  type ApiObject,
  DEPLOYMENTS,
  LEASES,
  NAMESPACES,
  NODES,
  type OwnerReference,
  PODS,
  REPLICA_SETS,
  type ReplicaSet,
} from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { CONFIG_MAPS, type WorkloadEnvironment, workloadCase } from './workload-environment.ts';

const HELD = 'workloads.test/held';
const GHOST = { apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: '3b3f5a0e-0000-4000-8000-000000000001' };

/** The plainest of objects, with owners that may or may not be there. */
function create(
  env: WorkloadEnvironment,
  name: string,
  owners: readonly OwnerReference[] = [],
  finalizers: readonly string[] = [],
): Promise<ApiObject> {
  return env.create(CONFIG_MAPS, { metadata: { name, ownerReferences: owners, finalizers } });
}

function owner({ metadata }: ApiObject, blockOwnerDeletion = false): OwnerReference {
  return { apiVersion: 'v1', kind: 'ConfigMap', name: metadata.name, uid: metadata.uid ?? '', blockOwnerDeletion };
}

function letGo(env: WorkloadEnvironment, name: string): Promise<ApiObject> {
  return env.merge(CONFIG_MAPS, name, { metadata: { finalizers: null } });
}

function untilTerminating(env: WorkloadEnvironment, name: string): Promise<ApiObject> {
  return env.until(CONFIG_MAPS, name, 'is terminating', ({ metadata }) => metadata.deletionTimestamp !== undefined);
}

/**
 * Waits until the collector knows the sets and pods there are. It learns of each kind by itself, and of a Deployment whose
 * set it does not know yet, it takes none along. What came after them and has no owner is gone when it has.
 */
async function known(env: WorkloadEnvironment): Promise<void> {
  const metadata = { name: 'ghost', ownerReferences: [GHOST] }; // and no labels, by which a set would take the pod
  const labels = { app: 'ghost' };
  const template = env.unschedulableTemplate({ labels });
  await env.create(PODS, { metadata, spec: template.spec });
  await env.create(REPLICA_SETS, { metadata, spec: { replicas: 0, selector: { matchLabels: labels }, template } });
  await env.untilGone(PODS, 'ghost');
  await env.untilGone(REPLICA_SETS, 'ghost');
}

export const ownerGcCases: readonly ContractCase[] = [
  workloadCase('what an object owns goes after it', async (env) => {
    const parent = await create(env, 'parent');
    await create(env, 'child', [owner(parent)]);
    await env.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Background' });
    await env.untilGone(CONFIG_MAPS, 'parent');
    await env.untilGone(CONFIG_MAPS, 'child');
  }),

  workloadCase('a lease goes after its owner in any namespace', async (env) => {
    const parent = await create(env, 'parent');
    await env.create(LEASES, { metadata: { name: 'lease', ownerReferences: [owner(parent)] } });
    await env.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Background' });
    await env.untilGone(LEASES, 'lease');
  }),

  workloadCase('what an object owns goes after it through all generations', async (env) => {
    const parent = await create(env, 'parent');
    const child = await create(env, 'child', [owner(parent)]);
    await create(env, 'grandchild', [owner(child)]);
    await env.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Background' });
    await env.untilGone(CONFIG_MAPS, 'grandchild');
  }),

  workloadCase('an object with another owner stays, and forgets the one that is gone', async (env) => {
    const [one, two] = [await create(env, 'one'), await create(env, 'two')];
    await create(env, 'child', [owner(one), owner(two)]);
    await env.delete(CONFIG_MAPS, 'one', { propagationPolicy: 'Background' });
    const child = await env.until(
      CONFIG_MAPS,
      'child',
      'has one owner',
      ({ metadata }) => metadata.ownerReferences?.length === 1,
    );
    assert.equal(child.metadata.ownerReferences?.[0]?.uid, two.metadata.uid);
    await env.delete(CONFIG_MAPS, 'two', { propagationPolicy: 'Background' });
    await env.untilGone(CONFIG_MAPS, 'child');
  }),

  workloadCase('orphans are left behind without their owner', async (env) => {
    const parent = await create(env, 'parent');
    await create(env, 'child', [owner(parent)]);
    await env.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Orphan' });
    await env.untilGone(CONFIG_MAPS, 'parent');
    const child = await env.get(CONFIG_MAPS, 'child');
    assert.equal(child.metadata.deletionTimestamp, undefined);
    assert.equal(child.metadata.ownerReferences, undefined);
  }),

  workloadCase('an owner deleted in the foreground stays until those that block it are gone', async (env) => {
    const parent = await create(env, 'parent');
    await create(env, 'child', [owner(parent, true)], [HELD]);
    await env.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Foreground' });
    await untilTerminating(env, 'child');
    const { metadata } = await env.get(CONFIG_MAPS, 'parent');
    assert.deepEqual(metadata.finalizers, ['foregroundDeletion']);
    assert.ok(metadata.deletionTimestamp);
    await letGo(env, 'child');
    await env.untilGone(CONFIG_MAPS, 'parent');
    assert.ok(await env.isGone(CONFIG_MAPS, 'child'));
  }),

  workloadCase('those that do not block an owner go in the foreground too, but are not waited for', async (env) => {
    const parent = await create(env, 'parent');
    await create(env, 'child', [owner(parent, false)], [HELD]);
    await env.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Foreground' });
    await env.untilGone(CONFIG_MAPS, 'parent');
    await untilTerminating(env, 'child');
    await letGo(env, 'child');
    await env.untilGone(CONFIG_MAPS, 'child');
  }),

  workloadCase('in the foreground the youngest generation goes first', async (env) => {
    const parent = await create(env, 'parent');
    const child = await create(env, 'child', [owner(parent, true)]);
    await create(env, 'grandchild', [owner(child, true)], [HELD]);
    await env.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Foreground' });
    await untilTerminating(env, 'grandchild');
    assert.equal(await env.isGone(CONFIG_MAPS, 'child'), false);
    await letGo(env, 'grandchild');
    await env.untilGone(CONFIG_MAPS, 'parent');
  }),

  workloadCase('an object whose owner never was is collected', async (env) => {
    await create(env, 'child', [GHOST]);
    await env.untilGone(CONFIG_MAPS, 'child');
  }),

  workloadCase('an owner by name alone is none: a namesake is somebody else', async (env) => {
    await create(env, 'parent');
    const stranger = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'parent',
      uid: '3b3f5a0e-0000-4000-8000-000000000002',
    };
    await create(env, 'child', [stranger]);
    await env.untilGone(CONFIG_MAPS, 'child');
    assert.equal(await env.isGone(CONFIG_MAPS, 'parent'), false);
  }),

  workloadCase('an owner in another namespace is none', async (env) => {
    const { client } = env.context;
    const other = env.context.unique('other');
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } });
    env.context.defer(() => client.delete(NAMESPACES, { name: other }));
    const metadata = { name: 'parent', namespace: other };
    const parent = await client.create<ApiObject>(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await create(env, 'child', [owner(parent)]);
    await env.untilGone(CONFIG_MAPS, 'child');
  }),

  workloadCase('objects may be owned by cluster-scoped ones', async (env) => {
    const node = await env.node('a', { kubelet: 'none' });
    const { metadata } = await env.get(NODES, node);
    await create(env, 'child', [{ apiVersion: 'v1', kind: 'Node', name: node, uid: metadata.uid ?? '' }]);
    await env.context.clock.sleep(500);
    assert.equal(await env.isGone(CONFIG_MAPS, 'child'), false);
    await env.delete(NODES, node);
    await env.untilGone(CONFIG_MAPS, 'child');
  }),

  workloadCase('deleting a Deployment takes its sets and pods along', async (env) => {
    const selector = { matchLabels: { app: 'web' } };
    await env.create(DEPLOYMENTS, {
      metadata: { name: 'web' },
      spec: { replicas: 2, selector, template: env.unschedulableTemplate() },
    });
    await env.context.until('two pods', async () => (await env.pods()).length === 2);
    await env.delete(DEPLOYMENTS, 'web');
    await env.context.until('nothing is left', async () => {
      const left = [...(await env.pods()), ...(await env.list(REPLICA_SETS))];
      return left.length === 0;
    });
  }),

  workloadCase('a Deployment deleted in the foreground goes last', async (env) => {
    const selector = { matchLabels: { app: 'web' } };
    await env.create(DEPLOYMENTS, {
      metadata: { name: 'web' },
      spec: { replicas: 2, selector, template: env.unschedulableTemplate() },
    });
    await env.context.until('two pods', async () => (await env.pods()).length === 2);
    await known(env);
    await env.delete(DEPLOYMENTS, 'web', { propagationPolicy: 'Foreground' });
    await env.untilGone(DEPLOYMENTS, 'web');
    assert.equal((await env.pods()).length, 0);
    assert.equal((await env.list(REPLICA_SETS)).length, 0);
  }),

  workloadCase('the sets of a Deployment can be left behind, and adopted again', async (env) => {
    const selector = { matchLabels: { app: 'web' } };
    const deployment = {
      metadata: { name: 'web' },
      spec: { replicas: 1, selector, template: env.unschedulableTemplate() },
    };
    await env.create(DEPLOYMENTS, deployment);
    await env.context.until('a pod', async () => (await env.pods()).length === 1);
    await known(env);
    await env.delete(DEPLOYMENTS, 'web', { propagationPolicy: 'Orphan' });
    await env.untilGone(DEPLOYMENTS, 'web');
    const [set] = await env.list(REPLICA_SETS);
    assert.equal(set?.metadata.ownerReferences, undefined);
    assert.equal((await env.pods()).length, 1);
    const name = set?.metadata.name ?? '';
    // While the controllers do not know that the set is free, a new Deployment makes another one.
    await env.merge(REPLICA_SETS, name, { spec: { minReadySeconds: 1 } });
    await env.until<ReplicaSet>(
      REPLICA_SETS,
      name,
      'is known as it is now',
      ({ metadata, status }) => status?.observedGeneration === metadata.generation,
    );
    const again = await env.create(DEPLOYMENTS, deployment);
    await env.until(
      REPLICA_SETS,
      name,
      'is adopted',
      ({ metadata }) => metadata.ownerReferences?.[0]?.uid === again.metadata.uid,
    );
    assert.equal((await env.list(REPLICA_SETS)).length, 1);
  }),
];
