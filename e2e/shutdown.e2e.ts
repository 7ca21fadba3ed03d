// A controller that gets SIGTERM exits within seconds, whatever its connections do.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, afterEach, before, describe, type TestContext, test } from 'node:test';
import { DEPLOYMENTS, type Lease, LEASES, NODES, POD_DISRUPTION_BUDGETS } from '@karpenter-ts/kubernetes';
import { SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { findFreePorts } from './lab/ports.ts';
import { killService, pauseService, reviveService } from './lab/fault-injection.ts';
import type { ControllerProcess } from './operator/controller-process.ts';
import { type Installation, install } from './operator/installation.ts';
import { ofCores, type Tenant } from './operator/tenant.ts';
import { until } from './operator/until.ts';

const NODE_COUNT = 50;
const LEASE = { namespace: 'kube-system', name: 'karpenter-leader-election' };
/** The lease of one that could not give it up need not be waited for. */
const ALONE = { DISABLE_LEADER_ELECTION: 'true' };
const REQUEST = 'GET /metrics HTTP/1.1\r\nhost: localhost\r\n';

describe('shutdown', () => {
  let karpenter: Installation;

  before(async () => {
    karpenter = await install('shutdown');
  });
  afterEach(() => karpenter.killControllers());
  after(() => karpenter.stop());

  test('silent connections on both ports hold neither the process nor the lease', async (t) => {
    const ports = await findFreePorts(2);
    const [METRICS_PORT = '', HEALTH_PROBE_PORT = ''] = ports.map(String);
    const controller = karpenter.start({ METRICS_PORT, HEALTH_PROBE_PORT });
    await untilLeads(controller);
    const kept = `${REQUEST}\r\n`; // answered, and the connection kept for the next one
    for (const port of ports) for (const text of ['', REQUEST, kept]) await open(t, port, text);
    assert.notEqual((await readLease()).holderIdentity, '');
    await stopWithin(2 * SECOND, controller, t);
    assert.equal((await readLease()).holderIdentity, '');
  });

  test('an API server that falls silent or dies in the middle of a drain does not hold the process', async (t) => {
    const { lab, proxy } = karpenter;
    const tenant = await addNodes(karpenter);
    const first = karpenter.start();
    await tenant.untilRunning(NODE_COUNT);
    const launchedNodes = await tenant.untilReady(NODE_COUNT);
    // As long as all pods must stay, no drain ends.
    await tenant.create(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'all' },
      spec: { minAvailable: NODE_COUNT, selector: { matchLabels: { app: 'app' } } },
    });
    for (const { nodeClaim } of launchedNodes) await tenant.client.delete(NODE_CLAIMS, nodeClaim.metadata);

    await untilEvicting();
    const resume = pauseService(lab, 'kube-apiserver');
    try {
      await until('it waits for answers', async () => proxy.unanswered.some((request) => !isWatch(request)));
      await stopWithin(5 * SECOND, first, t);
    } finally {
      resume();
    }

    const second = karpenter.start(ALONE);
    await untilEvicting();
    await killService(lab, 'kube-apiserver');
    try {
      await stopWithin(5 * SECOND, second, t);
    } finally {
      await reviveService(lab, 'kube-apiserver');
    }

    const third = karpenter.start(ALONE);
    await tenant.client.delete(DEPLOYMENTS, { namespace: tenant.name, name: 'app' });
    for (const { nodeClaim, node } of launchedNodes) {
      await tenant.untilGone(NODES, node.metadata.name);
      await tenant.untilGone(NODE_CLAIMS, nodeClaim.metadata.name);
    }
    await third.stop();
  });

  /** Resolves when the eviction of every pod has been asked for. */
  async function untilEvicting(): Promise<void> {
    const asked = new Set<string>();
    karpenter.proxy.onRequest = (method, path) => {
      if (method === 'POST' && path.includes('/eviction')) asked.add(path);
    };
    await until('all are being drained', async () => {
      assert.equal(asked.size, NODE_COUNT);
      return true;
    });
  }

  async function readLease(): Promise<NonNullable<Lease['spec']>> {
    return (await karpenter.client.get<Lease>(LEASES, LEASE)).spec!;
  }
});

async function addNodes(karpenter: Installation): Promise<Tenant> {
  const tenant = await karpenter.addTenant('drain');
  await tenant.addPool({ template: { requirements: [ofCores(4)] } });
  await tenant.addPods({ replicas: NODE_COUNT, cpu: '3' }); // one a node
  return tenant;
}

/** SIGTERM, and a good end that soon. */
async function stopWithin(limit: number, controller: ControllerProcess, t: TestContext): Promise<void> {
  const since = performance.now();
  await controller.stop();
  const took = performance.now() - since;
  t.diagnostic(`it ended after ${(took / SECOND).toFixed(1)} s`);
  assert.ok(took <= limit, `it ended after ${took} ms`);
}

/** A connection to a port over which this has been sent. */
async function open(t: TestContext, port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  if (text !== '') await new Promise((resolve) => socket.write(text, resolve));
  return socket;
}

const isWatch = (request: string): boolean => request.includes('watch=');

async function untilLeads({ lines }: ControllerProcess): Promise<void> {
  await until('it leads', async () => lines.some(({ message }) => message === 'Starting workers'));
}
