import assert from 'node:assert/strict';
import type { OwnerReference } from '@karpenter-ts/apis';
import type { ApiObject } from '@karpenter-ts/runtime';
import { LEASES } from '@karpenter-ts/runtime/kinds';
import { DEPLOYMENTS } from '../../workloads/kinds/deployment.ts';
import { NAMESPACES } from '../../workloads/kinds/namespace.ts';
import { NODES } from '../../workloads/kinds/node.ts';
import { PODS } from '../../workloads/kinds/pod.ts';
import { REPLICA_SETS, type ReplicaSet } from '../../workloads/kinds/replica-set.ts';
import type { ContractCase } from '../contract-case.ts';
import { CONFIG_MAPS, type Yard, yardCase } from './yard.ts';

const HELD = 'workloads.test/held';
const GHOST = { apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: '3b3f5a0e-0000-4000-8000-000000000001' };

/** The plainest of objects, with owners that may or may not be there. */
function create(
  yard: Yard,
  name: string,
  owners: readonly OwnerReference[] = [],
  finalizers: readonly string[] = [],
): Promise<ApiObject> {
  return yard.create(CONFIG_MAPS, { metadata: { name, ownerReferences: owners, finalizers } });
}

function owner({ metadata }: ApiObject, blockOwnerDeletion = false): OwnerReference {
  return { apiVersion: 'v1', kind: 'ConfigMap', name: metadata.name, uid: metadata.uid ?? '', blockOwnerDeletion };
}

function letGo(yard: Yard, name: string): Promise<ApiObject> {
  return yard.merge(CONFIG_MAPS, name, { metadata: { finalizers: null } });
}

function leaving(yard: Yard, name: string): Promise<ApiObject> {
  return yard.until(CONFIG_MAPS, name, 'is leaving', ({ metadata }) => metadata.deletionTimestamp !== undefined);
}

/**
 * Waits until the collector knows the sets and pods there are. It learns of each kind by itself, and of a Deployment whose
 * set it does not know yet, it takes none along. What came after them and has no owner is gone when it has.
 */
async function known(yard: Yard): Promise<void> {
  const metadata = { name: 'ghost', ownerReferences: [GHOST] }; // and no labels, by which a set would take the pod
  const labels = { app: 'ghost' };
  const template = yard.homelessTemplate({ labels });
  await yard.create(PODS, { metadata, spec: template.spec });
  await yard.create(REPLICA_SETS, { metadata, spec: { replicas: 0, selector: { matchLabels: labels }, template } });
  await yard.untilGone(PODS, 'ghost');
  await yard.untilGone(REPLICA_SETS, 'ghost');
}

export const ownerGcCases: readonly ContractCase[] = [
  yardCase('what an object owns goes after it', async (yard) => {
    const parent = await create(yard, 'parent');
    await create(yard, 'child', [owner(parent)]);
    await yard.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Background' });
    await yard.untilGone(CONFIG_MAPS, 'parent');
    await yard.untilGone(CONFIG_MAPS, 'child');
  }),

  yardCase('a lease goes after its owner in any namespace', async (yard) => {
    const parent = await create(yard, 'parent');
    await yard.create(LEASES, { metadata: { name: 'lease', ownerReferences: [owner(parent)] } });
    await yard.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Background' });
    await yard.untilGone(LEASES, 'lease');
  }),

  yardCase('what an object owns goes after it through all generations', async (yard) => {
    const parent = await create(yard, 'parent');
    const child = await create(yard, 'child', [owner(parent)]);
    await create(yard, 'grandchild', [owner(child)]);
    await yard.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Background' });
    await yard.untilGone(CONFIG_MAPS, 'grandchild');
  }),

  yardCase('an object with another owner stays, and forgets the one that is gone', async (yard) => {
    const [one, two] = [await create(yard, 'one'), await create(yard, 'two')];
    await create(yard, 'child', [owner(one), owner(two)]);
    await yard.delete(CONFIG_MAPS, 'one', { propagationPolicy: 'Background' });
    const child = await yard.until(
      CONFIG_MAPS,
      'child',
      'has one owner',
      ({ metadata }) => metadata.ownerReferences?.length === 1,
    );
    assert.equal(child.metadata.ownerReferences?.[0]?.uid, two.metadata.uid);
    await yard.delete(CONFIG_MAPS, 'two', { propagationPolicy: 'Background' });
    await yard.untilGone(CONFIG_MAPS, 'child');
  }),

  yardCase('orphans are left behind without their owner', async (yard) => {
    const parent = await create(yard, 'parent');
    await create(yard, 'child', [owner(parent)]);
    await yard.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Orphan' });
    await yard.untilGone(CONFIG_MAPS, 'parent');
    const child = await yard.get(CONFIG_MAPS, 'child');
    assert.equal(child.metadata.deletionTimestamp, undefined);
    assert.equal(child.metadata.ownerReferences, undefined);
  }),

  yardCase('an owner deleted in the foreground stays until those that block it are gone', async (yard) => {
    const parent = await create(yard, 'parent');
    await create(yard, 'child', [owner(parent, true)], [HELD]);
    await yard.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Foreground' });
    await leaving(yard, 'child');
    const { metadata } = await yard.get(CONFIG_MAPS, 'parent');
    assert.deepEqual(metadata.finalizers, ['foregroundDeletion']);
    assert.ok(metadata.deletionTimestamp);
    await letGo(yard, 'child');
    await yard.untilGone(CONFIG_MAPS, 'parent');
    assert.ok(await yard.isGone(CONFIG_MAPS, 'child'));
  }),

  yardCase('those that do not block an owner go in the foreground too, but are not waited for', async (yard) => {
    const parent = await create(yard, 'parent');
    await create(yard, 'child', [owner(parent, false)], [HELD]);
    await yard.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Foreground' });
    await yard.untilGone(CONFIG_MAPS, 'parent');
    await leaving(yard, 'child');
    await letGo(yard, 'child');
    await yard.untilGone(CONFIG_MAPS, 'child');
  }),

  yardCase('in the foreground the youngest generation goes first', async (yard) => {
    const parent = await create(yard, 'parent');
    const child = await create(yard, 'child', [owner(parent, true)]);
    await create(yard, 'grandchild', [owner(child, true)], [HELD]);
    await yard.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Foreground' });
    await leaving(yard, 'grandchild');
    assert.equal(await yard.isGone(CONFIG_MAPS, 'child'), false);
    await letGo(yard, 'grandchild');
    await yard.untilGone(CONFIG_MAPS, 'parent');
  }),

  yardCase('an object whose owner never was is collected', async (yard) => {
    await create(yard, 'child', [GHOST]);
    await yard.untilGone(CONFIG_MAPS, 'child');
  }),

  yardCase('an owner by name alone is none: a namesake is somebody else', async (yard) => {
    await create(yard, 'parent');
    const stranger = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'parent',
      uid: '3b3f5a0e-0000-4000-8000-000000000002',
    };
    await create(yard, 'child', [stranger]);
    await yard.untilGone(CONFIG_MAPS, 'child');
    assert.equal(await yard.isGone(CONFIG_MAPS, 'parent'), false);
  }),

  yardCase('an owner in another namespace is none', async (yard) => {
    const { client } = yard.context;
    const other = yard.context.unique('other');
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } });
    yard.context.defer(() => client.delete(NAMESPACES, { name: other }));
    const metadata = { name: 'parent', namespace: other };
    const parent = await client.create<ApiObject>(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await create(yard, 'child', [owner(parent)]);
    await yard.untilGone(CONFIG_MAPS, 'child');
  }),

  yardCase('objects may be owned by cluster-scoped ones', async (yard) => {
    const node = await yard.node('a', { kubelet: 'none' });
    const { metadata } = await yard.get(NODES, node);
    await create(yard, 'child', [{ apiVersion: 'v1', kind: 'Node', name: node, uid: metadata.uid ?? '' }]);
    await yard.context.clock.sleep(500);
    assert.equal(await yard.isGone(CONFIG_MAPS, 'child'), false);
    await yard.delete(NODES, node);
    await yard.untilGone(CONFIG_MAPS, 'child');
  }),

  yardCase('deleting a Deployment takes its sets and pods along', async (yard) => {
    const selector = { matchLabels: { app: 'web' } };
    await yard.create(DEPLOYMENTS, {
      metadata: { name: 'web' },
      spec: { replicas: 2, selector, template: yard.homelessTemplate() },
    });
    await yard.context.until('two pods', async () => (await yard.pods()).length === 2);
    await yard.delete(DEPLOYMENTS, 'web');
    await yard.context.until('nothing is left', async () => {
      const left = [...(await yard.pods()), ...(await yard.list(REPLICA_SETS))];
      return left.length === 0;
    });
  }),

  yardCase('a Deployment deleted in the foreground goes last', async (yard) => {
    const selector = { matchLabels: { app: 'web' } };
    await yard.create(DEPLOYMENTS, {
      metadata: { name: 'web' },
      spec: { replicas: 2, selector, template: yard.homelessTemplate() },
    });
    await yard.context.until('two pods', async () => (await yard.pods()).length === 2);
    await known(yard);
    await yard.delete(DEPLOYMENTS, 'web', { propagationPolicy: 'Foreground' });
    await yard.untilGone(DEPLOYMENTS, 'web');
    assert.equal((await yard.pods()).length, 0);
    assert.equal((await yard.list(REPLICA_SETS)).length, 0);
  }),

  yardCase('the sets of a Deployment can be left behind, and adopted again', async (yard) => {
    const selector = { matchLabels: { app: 'web' } };
    const deployment = {
      metadata: { name: 'web' },
      spec: { replicas: 1, selector, template: yard.homelessTemplate() },
    };
    await yard.create(DEPLOYMENTS, deployment);
    await yard.context.until('a pod', async () => (await yard.pods()).length === 1);
    await known(yard);
    await yard.delete(DEPLOYMENTS, 'web', { propagationPolicy: 'Orphan' });
    await yard.untilGone(DEPLOYMENTS, 'web');
    const [set] = await yard.list(REPLICA_SETS);
    assert.equal(set?.metadata.ownerReferences, undefined);
    assert.equal((await yard.pods()).length, 1);
    const name = set?.metadata.name ?? '';
    // While the controllers do not know that the set is free, a new Deployment makes another one.
    await yard.merge(REPLICA_SETS, name, { spec: { minReadySeconds: 1 } });
    await yard.until<ReplicaSet>(
      REPLICA_SETS,
      name,
      'is known as it is now',
      ({ metadata, status }) => status?.observedGeneration === metadata.generation,
    );
    const again = await yard.create(DEPLOYMENTS, deployment);
    await yard.until(
      REPLICA_SETS,
      name,
      'is adopted',
      ({ metadata }) => metadata.ownerReferences?.[0]?.uid === again.metadata.uid,
    );
    assert.equal((await yard.list(REPLICA_SETS)).length, 1);
  }),
];
