// From pending pods to ready Nodes, on a real control plane, with a controller that has only the documented rights.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CAPACITY_TYPE_LABEL, INITIALIZED_LABEL, NODEPOOL_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { NODE_POOLS } from '@karpenter-ts/apis';
import { DAEMON_SETS, NODES } from '@karpenter-ts/kubernetes';
import { type Installation, install } from './operator/installation.ts';
import { type LivePod } from './operator/live-objects.ts';
import { ofCores, type Tenant, TENANT } from './operator/tenant.ts';
import { until } from './operator/until.ts';
import { addZonalClass, addZonalVolume, claimVolume } from './operator/zonal-volumes.ts';

/** Enough to keep a control plane busy; more only makes it late. */
const CONCURRENCY = 8;

describe('scale-out', () => {
  let karpenter: Installation;

  before(async () => {
    karpenter = await install('scale-out');
    karpenter.start();
  });
  after(() => karpenter.stop());

  describe('a pool', { concurrency: CONCURRENCY }, () => {
    test('gets the nodes its pending pods need, and they run', async () => {
      const tenant = await karpenter.addTenant('pending');
      await tenant.addPool();
      await tenant.addPods({ replicas: 60 });
      const pods = await tenant.untilRunning(60);
      const launchedNodes = await tenant.untilReady(new Set(pods.map(({ spec }) => spec.nodeName)).size);
      for (const { nodeClaim, node } of launchedNodes) {
        assert.equal(nodeClaim.status?.nodeName, node.metadata.name);
        assert.equal(node.metadata.labels?.[INITIALIZED_LABEL], 'true');
        assert.deepEqual(node.spec.taints ?? [], []);
      }
    });

    test('takes the pods that only it can take', async () => {
      const tenant = await karpenter.addTenant('kinds');
      for (const kind of ['spot', 'on-demand']) {
        const requirements = [{ key: CAPACITY_TYPE_LABEL, operator: 'In', values: [kind] }];
        await tenant.addPool({ name: kind, template: { requirements } });
        await tenant.addPods({
          name: kind,
          replicas: 2,
          spec: { nodeSelector: { [TENANT]: 'kinds', [CAPACITY_TYPE_LABEL]: kind } },
        });
      }
      for (const kind of ['spot', 'on-demand']) {
        assert.deepEqual(await poolsOf(tenant, await tenant.untilRunning(2, kind)), [kind, kind]);
      }
    });

    test('of greater weight goes first, until its limit is reached', async () => {
      const tenant = await karpenter.addTenant('weights');
      const template = { requirements: [ofCores(4)] };
      await tenant.addPool({ name: 'heavy', template, spec: { weight: 50, limits: { cpu: '4' } } });
      await tenant.addPool({ name: 'light', template, spec: { weight: 10 } });
      await tenant.addPods({ replicas: 3, cpu: '3' }); // one a node
      assert.deepEqual(await poolsOf(tenant, await tenant.untilRunning(3)), ['heavy', 'light', 'light']);
    });

    test('with a taint is for pods that tolerate it', async () => {
      const tenant = await karpenter.addTenant('taints');
      const taints = [{ key: 'e2e.test/reserved', effect: 'NoSchedule' }];
      const requirements = [ofCores(4)]; // room for two, also if they are not seen at once
      await tenant.addPool({ name: 'reserved', template: { taints, requirements }, spec: { weight: 50 } });
      await tenant.addPool({ name: 'open', template: { requirements } });
      await tenant.addPods({ name: 'guest', replicas: 2 });
      const tolerations = [{ key: 'e2e.test/reserved', operator: 'Exists' }];
      const nodeSelector = { [NODEPOOL_LABEL]: 'reserved' };
      await tenant.addPods({ name: 'member', replicas: 2, spec: { nodeSelector, tolerations } });
      assert.deepEqual(await poolsOf(tenant, await tenant.untilRunning(2, 'guest')), ['open', 'open']);
      assert.deepEqual(await poolsOf(tenant, await tenant.untilRunning(2, 'member')), ['reserved', 'reserved']);
      await tenant.untilReady(2);
    });

    test('with a start-up taint waits for whoever takes it off, and buys nothing more meanwhile', async () => {
      const tenant = await karpenter.addTenant('startup');
      const key = 'e2e.test/agent';
      await tenant.addPool({
        template: { startupTaints: [{ key, effect: 'NoSchedule' }], requirements: [ofCores(8)] },
      });
      await tenant.addPods({ replicas: 2 });
      const [nodeClaim] = await until('the node waits for the agent', async () => {
        const claims = await tenant.nodeClaims();
        const initialized = claims[0]?.status?.conditions?.find(({ type }) => type === 'Initialized');
        return initialized?.reason === 'StartupTaintsExist' && claims;
      });
      await tenant.addPods({ name: 'late', replicas: 2 });
      await untilNominated(tenant, 'late', 2);
      assert.equal((await tenant.nodeClaims()).length, 1);
      const name = nodeClaim?.status?.nodeName ?? '';
      const { spec } = (await tenant.nodes())[0]!;
      const taints = (spec.taints ?? []).filter((taint) => taint.key !== key);
      await tenant.client.patch(NODES, { name }, { type: 'merge', body: { spec: { taints } } });
      await tenant.untilRunning(4);
      await tenant.untilReady(1);
    });

    test('stops at its limit, says so, and goes on when the limit is raised', async () => {
      const tenant = await karpenter.addTenant('limits');
      const template = { requirements: [ofCores(4)] };
      await tenant.addPool({ template, spec: { limits: { cpu: '8' } } });
      await tenant.addPods({ replicas: 4, cpu: '3' }); // one a node
      await untilTold(tenant, 'all available instance types exceed limits for nodepool (NodePool=limits)', 2);
      await tenant.untilReady(2);
      await until('the pool counts two', async () => (await tenant.nodePool()).status?.resources?.['nodes'] === '2');
      const body = { spec: { limits: { cpu: '16' } } };
      await tenant.client.patch(NODE_POOLS, { name: 'limits' }, { type: 'merge', body });
      await tenant.untilRunning(4);
      await tenant.untilReady(4);
    });

    test('leaves room for daemons', async () => {
      const tenant = await karpenter.addTenant('daemons');
      await tenant.addPool({ template: { requirements: [ofCores(4)] } });
      await addDaemon(tenant, '1');
      await tenant.addPods({ replicas: 6, cpu: '1.2' }); // three a node but for the daemon, two with it
      await tenant.untilRunning(6, 'app');
      await tenant.untilReady(3);
      await tenant.untilRunning(3, 'daemon');
    });

    test('puts pods that spread into all zones', async () => {
      const tenant = await karpenter.addTenant('spread');
      await tenant.addPool({ template: { requirements: [ofCores(4)] } });
      const constraint = { topologyKey: ZONE_LABEL, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' };
      const labelSelector = { matchLabels: { app: 'app' } };
      const spec = { topologySpreadConstraints: [{ ...constraint, labelSelector }] };
      await tenant.addPods({ replicas: 8, cpu: '1.9', spec }); // two a node: the first Node must not take them all
      const zones = await labelsOf(tenant, await tenant.untilRunning(8), ZONE_LABEL);
      assert.deepEqual(
        zones,
        ['a', 'b', 'c', 'd'].flatMap((zone) => [`test-zone-${zone}`, `test-zone-${zone}`]),
      );
    });

    test('follows volumes into their zones, those there are and those to be chosen', async () => {
      const tenant = await karpenter.addTenant('volumes');
      await tenant.addPool();
      await addZonalVolume(tenant, { name: 'bound', zone: 'test-zone-c', claim: 'bound' });
      await addZonalClass(tenant, { name: 'late-binding', zone: 'test-zone-b' });
      await addZonalVolume(tenant, { name: 'free', zone: 'test-zone-b', storageClass: 'late-binding' });
      await claimVolume(tenant, { name: 'free', storageClass: 'late-binding' });
      for (const claim of ['bound', 'free']) {
        const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: claim } }];
        await tenant.addPods({ name: claim, replicas: 1, spec: { volumes } });
      }
      for (const [claim, zone] of [
        ['bound', 'test-zone-c'],
        ['free', 'test-zone-b'],
      ] as const) {
        assert.deepEqual(await labelsOf(tenant, await tenant.untilRunning(1, claim), ZONE_LABEL), [zone]);
      }
    });

    test('buys nothing for pods that no node can take, and keeps them from nobody', async () => {
      const tenant = await karpenter.addTenant('impossible');
      await tenant.addPool();
      await tenant.addPods({ name: 'large', replicas: 5, cpu: '1000' });
      const nodeSelector = { [TENANT]: tenant.name, [ZONE_LABEL]: 'nowhere' };
      await tenant.addPods({ name: 'elsewhere', replicas: 5, spec: { nodeSelector } });
      await untilTold(tenant, 'Failed to schedule pod', 10);
      await tenant.addPods({ replicas: 1 });
      await tenant.untilRunning(1, 'app');
      await tenant.untilReady(1);
    });
  });

  test('05/82 with only the documented rights no request is forbidden, and others would be', async () => {
    assert.deepEqual(karpenter.proxy.refused, []);
    for (const resource of ['secrets', 'configmaps', 'customresourcedefinitions.apiextensions.k8s.io']) {
      const request = karpenter.lab.kubectl(['get', resource, '-n', 'kube-system', '--context', 'karpenter']);
      await assert.rejects(request, { message: /Forbidden/ });
    }
  });
});

/** A label of the Nodes that pods run on, one for each pod, sorted. */
async function labelsOf(tenant: Tenant, pods: readonly LivePod[], label: string): Promise<readonly string[]> {
  const nodes = new Map((await tenant.nodes()).map(({ metadata }) => [metadata.name, metadata.labels?.[label]]));
  return pods.map(({ spec }) => nodes.get(spec.nodeName ?? '') ?? '').sort();
}

async function poolsOf(tenant: Tenant, pods: readonly LivePod[]): Promise<readonly string[]> {
  return await labelsOf(tenant, pods, NODEPOOL_LABEL);
}

/** Resolves when the pods of a Deployment have been told where they will land. */
async function untilNominated(tenant: Tenant, app: string, count: number): Promise<void> {
  await until(`${count} pods of ${app} are nominated`, async () => {
    const told = await tenant.podsTold('Nominated');
    return told.filter((pod) => pod.startsWith(app)).length === count;
  });
}

/**
 * Resolves when so many pods have been told by us why they cannot be placed. There may be more by then: a pod that found
 * no place can still take another's, which is told next.
 */
async function untilTold(tenant: Tenant, text: string, count: number): Promise<void> {
  await until(`${count} pods of ${tenant.name} are told: ${text}`, async () => {
    const pods = await tenant.podsTold('FailedScheduling', text);
    if (pods.length < count) throw new Error(`${pods.length} are`);
    return true;
  });
}

async function addDaemon(tenant: Tenant, cpu: string): Promise<void> {
  const labels = { app: 'daemon' };
  const containers = [{ name: 'daemon', image: 'none', resources: { requests: { cpu } } }];
  const priorityClassName = 'system-node-critical'; // others may be there before it
  const spec = { nodeSelector: { [TENANT]: tenant.name }, priorityClassName, containers };
  await tenant.create(DAEMON_SETS, {
    metadata: { name: 'daemon' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
}
