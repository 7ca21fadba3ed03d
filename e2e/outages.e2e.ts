// The API server is killed in the middle of a batch, and the leader in the middle of its work.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { type Lease, LEASES } from '@karpenter-ts/kubernetes';
import type { Write } from './operator/api-proxy.ts';
import type { ControllerProcess } from './operator/controller-process.ts';
import { type Installation, install } from './operator/installation.ts';
import { ofCores, type Tenant } from './operator/tenant.ts';
import { until } from './operator/until.ts';
import { killService, reviveService } from './lab/fault-injection.ts';

const NODE_COUNT = 12;
const LEASE = { namespace: 'kube-system', name: 'karpenter-leader-election' };

describe('outages', () => {
  let karpenter: Installation;

  before(async () => {
    karpenter = await install('outages');
  });
  afterEach(() => karpenter.killControllers());
  after(() => karpenter.stop());

  test('a batch goes on when the API server is killed in its midst and comes back', async () => {
    const controller = karpenter.start({ DISABLE_LEADER_ELECTION: 'true' });
    const tenant = await addNodePool('batch');
    const isHit = afterClaims(NODE_COUNT / 2, () => killService(karpenter.lab, 'kube-apiserver'));
    await addNodes(tenant);
    await isHit;
    await reviveService(karpenter.lab, 'kube-apiserver'); // and forbids everything until it has read the roles
    await tenant.untilRunning(NODE_COUNT);
    await tenant.untilReady(NODE_COUNT);
    assert.ok(controller.isRunning);
    await controller.stop();
  });

  test('05/29 a second replica leads when the first is killed, and finishes what that began', async (t) => {
    const { leader, standby } = await startReplicas();
    const tenant = await addNodePool('fail-over');
    const isHit = afterClaims(NODE_COUNT / 2, () => leader.kill());
    await addNodes(tenant);
    await isHit;
    const since = performance.now();
    await untilLeads(standby);
    t.diagnostic(`it led after ${((performance.now() - since) / 1000).toFixed(1)} s`);
    await tenant.untilRunning(NODE_COUNT);
    await tenant.untilReady(NODE_COUNT);
    await standby.stop();
  });

  test('a leader that was stopped for longer than its lease gives up when it goes on', async () => {
    const { leader, standby } = await startReplicas();
    leader.signal('SIGSTOP');
    await untilLeads(standby);
    const tenant = await addNodePool('asleep');
    await addNodes(tenant);
    leader.signal('SIGCONT');
    assert.equal(await leader.exited, 1);
    await tenant.untilRunning(NODE_COUNT);
    await tenant.untilReady(NODE_COUNT);
    await standby.stop();
  });

  test('05/30 a leader that is asked to end hands over at once', async () => {
    const { leader, standby } = await startReplicas();
    const { leaseTransitions = 0 } = await readLease();
    await leader.stop();
    await untilLeads(standby);
    assert.equal((await readLease()).leaseTransitions, leaseTransitions + 1);
    await standby.stop();
  });

  async function addNodePool(name: string): Promise<Tenant> {
    const tenant = await karpenter.addTenant(name);
    await tenant.addPool({ template: { requirements: [ofCores(4)] } });
    return tenant;
  }

  /** Resolves once so many claims have been created and `hit` has happened; the last answer waits for that. */
  async function afterClaims(count: number, hit: () => Promise<void>): Promise<void> {
    const { proxy } = karpenter;
    let claims = 0;
    await new Promise<void>((resolve, reject) => {
      proxy.afterWrite = async ({ method, path }: Write) => {
        if (method !== 'POST' || !path.startsWith('/apis/karpenter.sh/v1/nodeclaims') || ++claims !== count) return;
        await hit().then(resolve, reject);
      };
    });
    proxy.afterWrite = () => undefined;
  }

  /** Two, of which the first leads. */
  async function startReplicas(): Promise<{ leader: ControllerProcess; standby: ControllerProcess }> {
    const leader = karpenter.start();
    await untilLeads(leader);
    return { leader, standby: karpenter.start() };
  }

  async function readLease(): Promise<NonNullable<Lease['spec']>> {
    return (await karpenter.client.get<Lease>(LEASES, LEASE)).spec!;
  }
});

async function addNodes(tenant: Tenant): Promise<void> {
  await tenant.addPods({ replicas: NODE_COUNT, cpu: '3' }); // one a node
}

async function untilLeads({ lines }: ControllerProcess): Promise<void> {
  await until('it leads', async () => lines.some(({ message }) => message === 'Starting workers'));
}
