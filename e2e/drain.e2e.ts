// Draining nodes on a real control plane: which pods are evicted, which are waited for, and for how long.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DO_NOT_DISRUPT, type NodeClaim, TERMINATION_TIMESTAMP } from '@karpenter-ts/apis';
import { SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { NODES, POD_DISRUPTION_BUDGETS, PODS } from '@karpenter-ts/kubernetes';
import { type Installation, install } from './operator/installation.ts';
import { isReady, type LivePod } from './operator/live-objects.ts';
import { ofCores, type Tenant } from './operator/tenant.ts';
import { until } from './operator/until.ts';

const KEEP = { [DO_NOT_DISRUPT]: 'true' };
/** A pool whose nodes hold all pods of a case, even if the pods do not arrive in one batch. */
const ROOMY = { template: { requirements: [ofCores(4)] } };

describe('drain', () => {
  let karpenter: Installation;

  before(async () => {
    karpenter = await install('drain');
    karpenter.start();
  });
  after(() => karpenter.stop());

  describe('a Node', { concurrency: true }, () => {
    test('that expires is replaced, and a pod that must stay stays until the deadline less its grace', async () => {
      const tenant = await karpenter.addTenant('expiry');
      const graceSeconds = 3;
      // Several times as long as a new node with a running pod takes.
      await tenant.addPool({
        template: { expireAfter: '45s', terminationGracePeriod: '15s' },
        spec: { disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '0' }] } }, // the change below is drift
      });
      await tenant.addPods({ replicas: 1, annotations: KEEP, spec: { terminationGracePeriodSeconds: graceSeconds } });
      const [pod] = await tenant.untilRunning(1);
      const [launched] = await tenant.untilReady(1);
      const { name } = launched!.nodeClaim.metadata;
      await setExpiry(tenant, 'Never'); // what comes next may stay

      const deadline = await untilDeadline(tenant, name);
      await tenant.untilGone(PODS, pod!.metadata.name);
      assert.ok(Date.now() >= deadline - graceSeconds * SECOND, 'it went before its time');
      await tenant.untilGone(NODES, launched!.node.metadata.name);
      await tenant.untilGone(NODE_CLAIMS, name);
      await tenant.untilRunning(1);
      await tenant.untilReady(1);
    });

    test('waits for a budget, and goes on as soon as that allows it', async () => {
      const tenant = await karpenter.addTenant('budget');
      await tenant.addPool(ROOMY);
      await tenant.create(POD_DISRUPTION_BUDGETS, {
        metadata: { name: 'all' },
        spec: { minAvailable: 3, selector: { matchLabels: { app: 'app' } } },
      });
      await tenant.addPods({ replicas: 3 });
      const before = await tenant.untilRunning(3);
      const [launched] = await tenant.untilReady(1);
      const node = launched!.node.metadata.name;
      await tenant.client.delete(NODE_CLAIMS, { name: launched!.nodeClaim.metadata.name });
      await untilFailedDraining(tenant, node, 'evicting pod violates a PDB');
      assert.deepEqual(uidsOf(await tenant.pods()), uidsOf(before));

      const patch = { type: 'merge', body: { spec: { minAvailable: 2 } } } as const;
      await tenant.client.patch(POD_DISRUPTION_BUDGETS, { namespace: tenant.name, name: 'all' }, patch);
      assert.ok((await untilLeft(tenant, node, 3)) >= 2, 'the budget is violated');
      await tenant.untilGone(NODES, node);
      await tenant.untilReady(1);
    });

    test('waits for a pod that must not be disrupted, until it may be', async () => {
      const tenant = await karpenter.addTenant('protected');
      await tenant.addPool(ROOMY);
      await tenant.addPod('kept', { annotations: KEEP });
      await tenant.addPod('other');
      await tenant.untilRunning(2);
      const [launched] = await tenant.untilReady(1);
      const node = launched!.node.metadata.name;
      await tenant.client.delete(NODES, { name: node });
      await tenant.untilGone(PODS, 'other');
      await untilFailedDraining(tenant, node, '2 pods are waiting to be evicted');
      await untilDraining(tenant, launched!.nodeClaim, 10 * SECOND); // twice what a drain takes at the least
      const [kept] = await tenant.pods();
      assert.deepEqual([kept?.metadata.name, kept?.metadata.deletionTimestamp], ['kept', undefined]);

      const patch = { type: 'merge', body: { metadata: { annotations: { [DO_NOT_DISRUPT]: null } } } } as const;
      await tenant.client.patch(PODS, { namespace: tenant.name, name: 'kept' }, patch);
      await tenant.untilGone(PODS, 'kept');
      await tenant.untilGone(NODES, node);
      await tenant.untilGone(NODE_CLAIMS, launched!.nodeClaim.metadata.name);
    });

    test('goes with its pool, drained', async () => {
      const tenant = await karpenter.addTenant('poolless');
      await tenant.addPool({ template: { requirements: [ofCores(4)] } });
      await tenant.addPods({ replicas: 3, cpu: '3' }); // one a node
      await tenant.untilRunning(3);
      const launchedNodes = await tenant.untilReady(3);
      await tenant.client.delete(NODE_POOLS, { name: tenant.name });
      for (const { nodeClaim, node } of launchedNodes) {
        await tenant.untilGone(NODES, node.metadata.name);
        await tenant.untilGone(NODE_CLAIMS, nodeClaim.metadata.name);
      }
      await until('its pods were evicted', async () => (await tenant.events('Evicted')).length === 3);
      await until('others wait', async () => (await tenant.pods()).every(({ spec }) => spec.nodeName === undefined));
      assert.deepEqual(await tenant.nodeClaims(), []);
    });
  });

  test('no request was forbidden', () => {
    assert.deepEqual(karpenter.proxy.refused, []);
  });
});

function uidsOf(pods: readonly LivePod[]): readonly string[] {
  return pods.map(({ metadata }) => metadata.uid ?? '').sort();
}

async function setExpiry(tenant: Tenant, expireAfter: string): Promise<void> {
  const body = { spec: { template: { spec: { expireAfter } } } };
  await tenant.client.patch(NODE_POOLS, { name: tenant.name }, { type: 'merge', body });
}

/** Resolves, when the claim is on its way out, with the time by which its pods must be gone. */
async function untilDeadline(tenant: Tenant, name: string): Promise<number> {
  return await until(`${name} has a deadline`, async () => {
    const { metadata } = await tenant.client.get<NodeClaim>(NODE_CLAIMS, { name });
    const deadline = metadata.annotations?.[TERMINATION_TIMESTAMP];
    return deadline !== undefined && Date.parse(deadline);
  });
}

/** Resolves when an event of the Node says why it is not drained. */
async function untilFailedDraining(tenant: Tenant, node: string, why: string): Promise<void> {
  const text = `Failed to drain node, ${why}`;
  await until(`${node}: ${text}`, async () => {
    const told = (await tenant.events('FailedDraining', 'default')).filter(
      (event) => event.involvedObject.name === node,
    );
    return told.some((event) => event.involvedObject.name === node && event.message.startsWith(text));
  });
}

/** Resolves when the Node of a NodeClaim has been draining for this long. */
async function untilDraining(tenant: Tenant, { metadata: { name } }: NodeClaim, time: number): Promise<void> {
  await until(`${name} has been draining for a while`, async () => {
    const { status } = await tenant.client.get<NodeClaim>(NODE_CLAIMS, { name });
    const drained = status?.conditions?.find(({ type }) => type === 'Drained');
    return drained?.status === 'Unknown' && Date.now() - Date.parse(drained.lastTransitionTime) > time;
  });
}

/** Resolves when so many pods run, none of them there, with the fewest that were seen running on the way. */
async function untilLeft(tenant: Tenant, node: string, count: number): Promise<number> {
  let fewest = count;
  await until(`${count} pods run elsewhere`, async () => {
    const running = (await tenant.pods()).filter(isReady);
    fewest = Math.min(fewest, running.length);
    return running.length === count && running.every(({ spec }) => spec.nodeName !== node);
  });
  return fewest;
}
