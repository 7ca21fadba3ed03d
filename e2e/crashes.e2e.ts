// The controller is killed at every write while nodes are created and deleted; the next process must continue from the
// objects.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { NODES, PODS } from '@karpenter-ts/kubernetes';
import { CrashPlan } from './operator/crash-plan.ts';
import { type Installation, install } from './operator/installation.ts';
import type { Tenant } from './operator/tenant.ts';
import { until } from './operator/until.ts';

/** More writes than from a NodeClaim to its first pod, or from its deletion to its end. */
const MOST_WRITES = 16;
/** Writes of a scale-out: NodeClaim, launch, Node, registration, label, status. A scale-in has more. */
const LEAST_WRITES = 6;
/** Without a lease, because the next process would have to wait for it; batches are as short as possible. */
const SETTINGS = { DISABLE_LEADER_ELECTION: 'true', BATCH_IDLE_DURATION: '100ms', BATCH_MAX_DURATION: '1s' };

describe('a controller that is killed', () => {
  let karpenter: Installation;
  let tenants: readonly Tenant[];

  before(async () => {
    karpenter = await install('crashes');
    const names = Array.from({ length: MOST_WRITES }, (_, index) => `write-${index + 1}`);
    tenants = await Promise.all(names.map((name) => karpenter.addTenant(name)));
    await Promise.all(tenants.map((tenant) => tenant.addPool()));
  });
  after(() => karpenter.stop());

  test('at any write between the creation of a claim and its initialisation loses and doubles nothing', async (t) => {
    const plan = new CrashPlan({
      installation: karpenter,
      tenants,
      settings: SETTINGS,
      isBegin: ({ path }) => !path.startsWith('/apis/karpenter.sh/v1/nodepools'), // the first of others creates a claim
    });
    t.after(() => plan.stop());
    plan.start();
    await Promise.all(tenants.map((tenant) => tenant.addPod('app')));
    for (const tenant of tenants) {
      await tenant.untilRunning(1);
      const [launched] = await tenant.untilReady(1);
      assert.equal(launched?.nodeClaim.status?.nodeName, launched?.node.metadata.name);
    }
    t.diagnostic(`${plan.crashes} crashes; ${plan.spared.length} of ${MOST_WRITES} were spared`);
    assert.ok(plan.spared.length > 0, 'there are more writes than that');
    assert.ok(MOST_WRITES - plan.spared.length >= LEAST_WRITES, 'there must be more writes than that');
  });

  test('at any write between the deletion of a claim and its end leaves nothing behind', async (t) => {
    const nothing = { type: 'merge', body: { spec: { limits: { cpu: '0' } } } } as const;
    for (const { name } of tenants) await karpenter.client.patch(NODE_POOLS, { name }, nothing); // no replacements
    const plan = new CrashPlan({ installation: karpenter, tenants, settings: SETTINGS });
    t.after(() => plan.stop());
    plan.start();
    const claims = await Promise.all(tenants.map((tenant) => tenant.untilReady(1)));
    await Promise.all(
      claims.flat().map(({ nodeClaim }) => karpenter.client.delete(NODE_CLAIMS, { name: nodeClaim.metadata.name })),
    );
    for (const kind of [PODS, NODES, NODE_CLAIMS]) {
      await until(`no ${kind.plural} are left`, async () => {
        const { items } = await karpenter.client.listAll(kind);
        if (items.length > 0) throw new Error(`${items.length} are`);
        return true;
      });
    }
    t.diagnostic(`${plan.crashes} crashes; ${plan.spared.length} of ${MOST_WRITES} were spared`);
    assert.ok(plan.spared.length > 0, 'there are more writes than that');
    assert.ok(MOST_WRITES - plan.spared.length >= LEAST_WRITES, 'there must be more writes than that');
  });

  test('no request was forbidden', () => {
    assert.deepEqual(karpenter.proxy.refused, []);
  });
});
