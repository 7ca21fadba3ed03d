import assert from 'node:assert/strict';
import { type ApiObject, LEASES, type OwnerReference } from '@karpenter-ts/kubernetes';
import { DEPLOYMENTS } from '../../workloads/kinds/deployment.ts';
import { NAMESPACES } from '../../workloads/kinds/namespace.ts';
import { NODES } from '../../workloads/kinds/node.ts';
import { PODS } from '../../workloads/kinds/pod.ts';
import { REPLICA_SETS, type ReplicaSet } from '../../workloads/kinds/replica-set.ts';
import type { ContractCase } from '../contract-case.ts';
import { CONFIG_MAPS, type WorkloadFixture, workloadCase } from './workload-fixture.ts';

const HELD = 'workloads.test/held';
const GHOST = { apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: '3b3f5a0e-0000-4000-8000-000000000001' };

/** The plainest of objects, with owners that may or may not be there. */
function create(
  fixture: WorkloadFixture,
  name: string,
  owners: readonly OwnerReference[] = [],
  finalizers: readonly string[] = [],
): Promise<ApiObject> {
  return fixture.create(CONFIG_MAPS, { metadata: { name, ownerReferences: owners, finalizers } });
}

function owner({ metadata }: ApiObject, blockOwnerDeletion = false): OwnerReference {
  return { apiVersion: 'v1', kind: 'ConfigMap', name: metadata.name, uid: metadata.uid ?? '', blockOwnerDeletion };
}

function letGo(fixture: WorkloadFixture, name: string): Promise<ApiObject> {
  return fixture.merge(CONFIG_MAPS, name, { metadata: { finalizers: null } });
}

function untilTerminating(fixture: WorkloadFixture, name: string): Promise<ApiObject> {
  return fixture.until(CONFIG_MAPS, name, 'is terminating', ({ metadata }) => metadata.deletionTimestamp !== undefined);
}

/**
 * Waits until the collector knows the sets and pods there are. It learns of each kind by itself, and of a Deployment whose
 * set it does not know yet, it takes none along. What came after them and has no owner is gone when it has.
 */
async function known(fixture: WorkloadFixture): Promise<void> {
  const metadata = { name: 'ghost', ownerReferences: [GHOST] }; // and no labels, by which a set would take the pod
  const labels = { app: 'ghost' };
  const template = fixture.unschedulableTemplate({ labels });
  await fixture.create(PODS, { metadata, spec: template.spec });
  await fixture.create(REPLICA_SETS, { metadata, spec: { replicas: 0, selector: { matchLabels: labels }, template } });
  await fixture.untilGone(PODS, 'ghost');
  await fixture.untilGone(REPLICA_SETS, 'ghost');
}

export const ownerGcCases: readonly ContractCase[] = [
  workloadCase('what an object owns goes after it', async (fixture) => {
    const parent = await create(fixture, 'parent');
    await create(fixture, 'child', [owner(parent)]);
    await fixture.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Background' });
    await fixture.untilGone(CONFIG_MAPS, 'parent');
    await fixture.untilGone(CONFIG_MAPS, 'child');
  }),

  workloadCase('a lease goes after its owner in any namespace', async (fixture) => {
    const parent = await create(fixture, 'parent');
    await fixture.create(LEASES, { metadata: { name: 'lease', ownerReferences: [owner(parent)] } });
    await fixture.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Background' });
    await fixture.untilGone(LEASES, 'lease');
  }),

  workloadCase('what an object owns goes after it through all generations', async (fixture) => {
    const parent = await create(fixture, 'parent');
    const child = await create(fixture, 'child', [owner(parent)]);
    await create(fixture, 'grandchild', [owner(child)]);
    await fixture.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Background' });
    await fixture.untilGone(CONFIG_MAPS, 'grandchild');
  }),

  workloadCase('an object with another owner stays, and forgets the one that is gone', async (fixture) => {
    const [one, two] = [await create(fixture, 'one'), await create(fixture, 'two')];
    await create(fixture, 'child', [owner(one), owner(two)]);
    await fixture.delete(CONFIG_MAPS, 'one', { propagationPolicy: 'Background' });
    const child = await fixture.until(
      CONFIG_MAPS,
      'child',
      'has one owner',
      ({ metadata }) => metadata.ownerReferences?.length === 1,
    );
    assert.equal(child.metadata.ownerReferences?.[0]?.uid, two.metadata.uid);
    await fixture.delete(CONFIG_MAPS, 'two', { propagationPolicy: 'Background' });
    await fixture.untilGone(CONFIG_MAPS, 'child');
  }),

  workloadCase('orphans are left behind without their owner', async (fixture) => {
    const parent = await create(fixture, 'parent');
    await create(fixture, 'child', [owner(parent)]);
    await fixture.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Orphan' });
    await fixture.untilGone(CONFIG_MAPS, 'parent');
    const child = await fixture.get(CONFIG_MAPS, 'child');
    assert.equal(child.metadata.deletionTimestamp, undefined);
    assert.equal(child.metadata.ownerReferences, undefined);
  }),

  workloadCase('an owner deleted in the foreground stays until those that block it are gone', async (fixture) => {
    const parent = await create(fixture, 'parent');
    await create(fixture, 'child', [owner(parent, true)], [HELD]);
    await fixture.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Foreground' });
    await untilTerminating(fixture, 'child');
    const { metadata } = await fixture.get(CONFIG_MAPS, 'parent');
    assert.deepEqual(metadata.finalizers, ['foregroundDeletion']);
    assert.ok(metadata.deletionTimestamp);
    await letGo(fixture, 'child');
    await fixture.untilGone(CONFIG_MAPS, 'parent');
    assert.ok(await fixture.isGone(CONFIG_MAPS, 'child'));
  }),

  workloadCase('those that do not block an owner go in the foreground too, but are not waited for', async (fixture) => {
    const parent = await create(fixture, 'parent');
    await create(fixture, 'child', [owner(parent, false)], [HELD]);
    await fixture.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Foreground' });
    await fixture.untilGone(CONFIG_MAPS, 'parent');
    await untilTerminating(fixture, 'child');
    await letGo(fixture, 'child');
    await fixture.untilGone(CONFIG_MAPS, 'child');
  }),

  workloadCase('in the foreground the youngest generation goes first', async (fixture) => {
    const parent = await create(fixture, 'parent');
    const child = await create(fixture, 'child', [owner(parent, true)]);
    await create(fixture, 'grandchild', [owner(child, true)], [HELD]);
    await fixture.delete(CONFIG_MAPS, 'parent', { propagationPolicy: 'Foreground' });
    await untilTerminating(fixture, 'grandchild');
    assert.equal(await fixture.isGone(CONFIG_MAPS, 'child'), false);
    await letGo(fixture, 'grandchild');
    await fixture.untilGone(CONFIG_MAPS, 'parent');
  }),

  workloadCase('an object whose owner never was is collected', async (fixture) => {
    await create(fixture, 'child', [GHOST]);
    await fixture.untilGone(CONFIG_MAPS, 'child');
  }),

  workloadCase('an owner by name alone is none: a namesake is somebody else', async (fixture) => {
    await create(fixture, 'parent');
    const stranger = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'parent',
      uid: '3b3f5a0e-0000-4000-8000-000000000002',
    };
    await create(fixture, 'child', [stranger]);
    await fixture.untilGone(CONFIG_MAPS, 'child');
    assert.equal(await fixture.isGone(CONFIG_MAPS, 'parent'), false);
  }),

  workloadCase('an owner in another namespace is none', async (fixture) => {
    const { client } = fixture.context;
    const other = fixture.context.unique('other');
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } });
    fixture.context.defer(() => client.delete(NAMESPACES, { name: other }));
    const metadata = { name: 'parent', namespace: other };
    const parent = await client.create<ApiObject>(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await create(fixture, 'child', [owner(parent)]);
    await fixture.untilGone(CONFIG_MAPS, 'child');
  }),

  workloadCase('objects may be owned by cluster-scoped ones', async (fixture) => {
    const node = await fixture.node('a', { kubelet: 'none' });
    const { metadata } = await fixture.get(NODES, node);
    await create(fixture, 'child', [{ apiVersion: 'v1', kind: 'Node', name: node, uid: metadata.uid ?? '' }]);
    await fixture.context.clock.sleep(500);
    assert.equal(await fixture.isGone(CONFIG_MAPS, 'child'), false);
    await fixture.delete(NODES, node);
    await fixture.untilGone(CONFIG_MAPS, 'child');
  }),

  workloadCase('deleting a Deployment takes its sets and pods along', async (fixture) => {
    const selector = { matchLabels: { app: 'web' } };
    await fixture.create(DEPLOYMENTS, {
      metadata: { name: 'web' },
      spec: { replicas: 2, selector, template: fixture.unschedulableTemplate() },
    });
    await fixture.context.until('two pods', async () => (await fixture.pods()).length === 2);
    await fixture.delete(DEPLOYMENTS, 'web');
    await fixture.context.until('nothing is left', async () => {
      const left = [...(await fixture.pods()), ...(await fixture.list(REPLICA_SETS))];
      return left.length === 0;
    });
  }),

  workloadCase('a Deployment deleted in the foreground goes last', async (fixture) => {
    const selector = { matchLabels: { app: 'web' } };
    await fixture.create(DEPLOYMENTS, {
      metadata: { name: 'web' },
      spec: { replicas: 2, selector, template: fixture.unschedulableTemplate() },
    });
    await fixture.context.until('two pods', async () => (await fixture.pods()).length === 2);
    await known(fixture);
    await fixture.delete(DEPLOYMENTS, 'web', { propagationPolicy: 'Foreground' });
    await fixture.untilGone(DEPLOYMENTS, 'web');
    assert.equal((await fixture.pods()).length, 0);
    assert.equal((await fixture.list(REPLICA_SETS)).length, 0);
  }),

  workloadCase('the sets of a Deployment can be left behind, and adopted again', async (fixture) => {
    const selector = { matchLabels: { app: 'web' } };
    const deployment = {
      metadata: { name: 'web' },
      spec: { replicas: 1, selector, template: fixture.unschedulableTemplate() },
    };
    await fixture.create(DEPLOYMENTS, deployment);
    await fixture.context.until('a pod', async () => (await fixture.pods()).length === 1);
    await known(fixture);
    await fixture.delete(DEPLOYMENTS, 'web', { propagationPolicy: 'Orphan' });
    await fixture.untilGone(DEPLOYMENTS, 'web');
    const [set] = await fixture.list(REPLICA_SETS);
    assert.equal(set?.metadata.ownerReferences, undefined);
    assert.equal((await fixture.pods()).length, 1);
    const name = set?.metadata.name ?? '';
    // While the controllers do not know that the set is free, a new Deployment makes another one.
    await fixture.merge(REPLICA_SETS, name, { spec: { minReadySeconds: 1 } });
    await fixture.until<ReplicaSet>(
      REPLICA_SETS,
      name,
      'is known as it is now',
      ({ metadata, status }) => status?.observedGeneration === metadata.generation,
    );
    const again = await fixture.create(DEPLOYMENTS, deployment);
    await fixture.until(
      REPLICA_SETS,
      name,
      'is adopted',
      ({ metadata }) => metadata.ownerReferences?.[0]?.uid === again.metadata.uid,
    );
    assert.equal((await fixture.list(REPLICA_SETS)).length, 1);
  }),
];
