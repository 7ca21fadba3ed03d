// Claims that become Nodes or do not: standalone ones, and those whose instance never comes.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isTrue, NODES } from '@karpenter-ts/kubernetes';
import { MINUTE } from '@karpenter-ts/runtime';
import { type Installation, install } from './operator/installation.ts';
import { KWOK_NODE_CLASSES } from '@karpenter-ts/provider-kwok';
import { INITIALIZED_LABEL, INSTANCE_TYPE_LABEL, NODE_CLAIMS, type NodeClaim, ZONE_LABEL } from '@karpenter-ts/apis';
import { type Tenant, TENANT } from './operator/tenant.ts';
import { until } from './operator/until.ts';

/** Longer than an instance may take to register (spec 03 §3.4). */
const TOO_LONG = 20 * MINUTE;

describe('registration', () => {
  let karpenter: Installation;

  before(async () => {
    karpenter = await install('registration');
    karpenter.start();
  });
  after(() => karpenter.stop());

  describe('a claim', { concurrency: true }, () => {
    test('whose instance never registers is given up in time, another is bought, and the pool tells', async () => {
      const tenant = await karpenter.addTenant('never');
      await delayRegistration(tenant, '1000h');
      await tenant.addPool();
      await tenant.addPods({ replicas: 1 });
      const first = await untilLaunched(tenant);
      await tenant.addPods({ name: 'more', replicas: 1, cpu: '0' }); // room for it is on its way
      await until('it is told so', async () => (await tenant.podsTold('Nominated')).length === 2);
      assert.deepEqual(namesOf(await tenant.nodeClaims()), [first.metadata.name]);
      assert.deepEqual(await tenant.nodes(), []);

      await backdate(tenant, first);
      const second = await untilLaunched(tenant, [first]);
      await backdate(tenant, second);
      const third = await untilLaunched(tenant, [first, second]);
      assert.equal((await untilHealth(tenant, 'False')).reason, 'RegistrationFailed');

      await delayRegistration(tenant, '0s');
      await untilHealth(tenant, 'Unknown');
      await backdate(tenant, third);
      await tenant.untilRunning(2);
      await tenant.untilReady(1);
      await untilHealth(tenant, 'True');
    });

    test('without a pool gets what it asks for, and takes its Node along', async () => {
      const tenant = await karpenter.addTenant('standalone');
      const taint = { key: 'e2e.test/own', value: 'yes', effect: 'NoExecute' } as const;
      const name = await addClaim(tenant, { taints: [taint] });
      const [launched] = await tenant.untilReady(1);
      const { metadata, spec } = launched!.node;
      const { labels, annotations, ownerReferences } = metadata;
      assert.deepEqual(
        [labels?.[INSTANCE_TYPE_LABEL], labels?.[ZONE_LABEL], labels?.[INITIALIZED_LABEL]],
        ['c-4x-amd64-linux', 'test-zone-d', 'true'],
      );
      assert.equal(annotations?.['e2e.test/note'], 'kept');
      assert.deepEqual(spec.taints, [taint]);
      assert.deepEqual(
        ownerReferences?.map((owner) => [owner.kind, owner.name]),
        [['NodeClaim', name]],
      );
      await tenant.client.delete(NODE_CLAIMS, { name });
      await tenant.untilGone(NODES, metadata.name);
      await tenant.untilGone(NODE_CLAIMS, name);
    });

    test('goes when its Node is deleted', async () => {
      const tenant = await karpenter.addTenant('bereft');
      const name = await addClaim(tenant);
      const [launched] = await tenant.untilReady(1);
      await tenant.client.delete(NODES, launched!.node.metadata);
      await tenant.untilGone(NODE_CLAIMS, name);
      assert.deepEqual(await tenant.nodes(), []);
    });

    test('of a NodeClass that does not exist is deleted', async () => {
      const tenant = await karpenter.addTenant('classless');
      await tenant.client.delete(KWOK_NODE_CLASSES, { name: tenant.name });
      await untilClassIsUseless(tenant, 'NodeClassNotFound');
      await tenant.untilGone(NODE_CLAIMS, await addClaim(tenant));
      assert.deepEqual(await tenant.nodes(), []);
    });

    test('of a NodeClass that is not ready is deleted', async () => {
      const tenant = await karpenter.addTenant('unready');
      const lastTransitionTime = new Date().toISOString();
      const conditions = [{ type: 'Ready', status: 'False', reason: 'Broken', message: 'broken', lastTransitionTime }];
      const patch = { type: 'merge', body: { status: { conditions } } } as const;
      await tenant.client.patch(KWOK_NODE_CLASSES, { name: tenant.name }, patch, { subresource: 'status' });
      await untilClassIsUseless(tenant, 'Broken');
      await tenant.untilGone(NODE_CLAIMS, await addClaim(tenant));
      assert.deepEqual(await tenant.nodes(), []);
    });
  });

  test('no request was forbidden', () => {
    assert.deepEqual(karpenter.proxy.refused, []);
  });
});

function namesOf(nodeClaims: readonly NodeClaim[]): readonly string[] {
  return nodeClaims.map(({ metadata }) => metadata.name);
}

async function delayRegistration(tenant: Tenant, nodeRegistrationDelay: string): Promise<void> {
  const patch = { type: 'merge', body: { spec: { nodeRegistrationDelay } } } as const;
  await tenant.client.patch(KWOK_NODE_CLASSES, { name: tenant.name }, patch);
}

/** Resolves when the only claim is a new one that has an instance. */
async function untilLaunched(tenant: Tenant, former: readonly NodeClaim[] = []): Promise<NodeClaim> {
  return await until(`${tenant.name} has a new claim, and it is launched`, async () => {
    const [nodeClaim, ...others] = await tenant.nodeClaims();
    if (nodeClaim === undefined || others.length > 0) return false;
    const isNew = !namesOf(former).includes(nodeClaim.metadata.name);
    return isNew && isTrue(nodeClaim, 'Launched') && nodeClaim;
  });
}

/** Makes a claim look as if it had been waiting for too long. */
async function backdate(tenant: Tenant, { metadata, status }: NodeClaim): Promise<void> {
  const lastTransitionTime = `${new Date(Date.now() - TOO_LONG).toISOString().slice(0, 19)}Z`;
  const conditions = status?.conditions?.map((condition) => ({ ...condition, lastTransitionTime }));
  const patch = { type: 'merge', body: { status: { conditions } } } as const;
  await tenant.client.patch(NODE_CLAIMS, { name: metadata.name }, patch, { subresource: 'status' });
  await tenant.untilGone(NODE_CLAIMS, metadata.name);
}

async function untilHealth(tenant: Tenant, status: string) {
  return await until(`registration of ${tenant.name} is healthy: ${status}`, async () => {
    const health = await findPoolCondition(tenant, 'NodeRegistrationHealthy');
    return health?.status === status && health;
  });
}

/** Resolves when the controller, which hears of classes and of claims separately, knows of the class: a pool tells. */
async function untilClassIsUseless(tenant: Tenant, why: string): Promise<void> {
  await tenant.addPool();
  await until(`the class of ${tenant.name} is of no use: ${why}`, async () => {
    const ready = await findPoolCondition(tenant, 'NodeClassReady');
    return ready?.status === 'False' && ready.reason === why;
  });
}

async function findPoolCondition(tenant: Tenant, name: string) {
  return (await tenant.nodePool()).status?.conditions?.find(({ type }) => type === name);
}

/** Creates a claim of no pool; returns its name. */
async function addClaim(tenant: Tenant, spec: object = {}): Promise<string> {
  const { group, kind } = KWOK_NODE_CLASSES;
  const requirements = [
    { key: INSTANCE_TYPE_LABEL, operator: 'In', values: ['c-4x-amd64-linux'] },
    { key: ZONE_LABEL, operator: 'In', values: ['test-zone-d'] },
  ];
  const { metadata } = await tenant.create(NODE_CLAIMS, {
    metadata: { name: tenant.name, labels: { [TENANT]: tenant.name }, annotations: { 'e2e.test/note': 'kept' } },
    spec: { nodeClassRef: { group, kind, name: tenant.name }, requirements, ...spec },
  });
  return metadata.name;
}
