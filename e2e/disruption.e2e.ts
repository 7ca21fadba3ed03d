// What the controller takes away by itself, on a real control plane: empty nodes, drifted ones, and those that could be
// fewer or cheaper; and what keeps them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  CAPACITY_TYPE_LABEL,
  DO_NOT_DISRUPT,
  INSTANCE_TYPE_LABEL,
  NODE_CLAIMS,
  type NodeClaim,
} from '@karpenter-ts/apis';
import {
  type ApiObject,
  DAEMON_SETS,
  isTrue,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import {
  changePool,
  deleteClaim,
  disrupting,
  isMarked,
  isTainted,
  scale,
  untilToldOf,
  watchRoll,
} from './operator/disruption.ts';
import { type Installation, install } from './operator/installation.ts';
import { ofCores, type Tenant, TENANT } from './operator/tenant.ts';
import { until } from './operator/until.ts';

const ON_DEMAND = { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['on-demand'] };
const SPOT = { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['spot'] };
const LIMIT_RANGES: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'limitranges',
  kind: 'LimitRange',
  namespaced: true,
};
const SECOND_EDITION = { template: { metadata: { labels: { edition: 'second' } } } };

describe('disruption', () => {
  let karpenter: Installation;

  before(async () => {
    karpenter = await install('disruption');
    karpenter.start();
  });
  after(() => karpenter.stop());

  describe('a node', { concurrency: true }, () => {
    test('04/51 that is empty is deleted, and one that is not stays', async () => {
      const tenant = await karpenter.addTenant('empty');
      await tenant.addPool({
        template: { requirements: [ofCores(4)] },
        spec: disrupting({ consolidationPolicy: 'WhenEmpty' }),
      });
      await tenant.addPods({ name: 'going', replicas: 1, cpu: '3' });
      await tenant.addPods({ name: 'staying', replicas: 1, cpu: '3' });
      const [going] = await tenant.untilRunning(1, 'going');
      await tenant.untilRunning(1, 'staying');
      await tenant.untilReady(2);
      await scale(tenant, 0, 'going');
      await tenant.untilGone(NODES, going!.spec.nodeName ?? '');
      const [left] = await tenant.untilReady(1);
      const [staying] = await tenant.untilRunning(1, 'staying');
      assert.equal(staying?.spec.nodeName, left?.node.metadata.name);
      await untilToldOf(tenant, 'DisruptionTerminating', going!.spec.nodeName ?? '', 'Disrupting Node: Empty');
    });

    test('04/90 whose pods fit elsewhere is deleted, without another', async () => {
      const tenant = await karpenter.addTenant('fewer');
      await tenant.addPool({ template: { requirements: [ofCores(4)] }, spec: disrupting() });
      await tenant.addPods({ name: 'large', replicas: 2, cpu: '2.5' }); // one a node
      await tenant.addPods({ replicas: 2, cpu: '0.6' });
      await tenant.untilRunning(2, 'large');
      await tenant.untilRunning(2, 'app');
      const before = await tenant.untilReady(2);
      await scale(tenant, 1, 'large');
      const [left] = await tenant.untilReady(1);
      assert.ok(before.some(({ nodeClaim }) => nodeClaim.metadata.name === left?.nodeClaim.metadata.name));
      await tenant.untilRunning(3);
    });

    test('04/89 that is too large is replaced by a cheaper one, which comes first', async () => {
      const tenant = await karpenter.addTenant('smaller');
      await tenant.addPool({ template: { requirements: [ON_DEMAND] }, spec: disrupting() });
      await tenant.addPods({ name: 'large', replicas: 1, cpu: '12' });
      await tenant.untilRunning(1);
      const [large] = await tenant.untilReady(1);
      await tenant.addPods({ replicas: 1, cpu: '1' });
      await tenant.untilRunning(1, 'app');
      await scale(tenant, 0, 'large');
      const { early } = await watchRoll(
        tenant,
        (await tenant.nodeClaims()).filter((claim) => nameOf(claim) === nameOf(large!.nodeClaim)),
      );
      assert.deepEqual(early, []);
      const [small] = await tenant.untilReady(1);
      assert.ok(coresOf(small!.nodeClaim) < coresOf(large!.nodeClaim));
      await tenant.untilRunning(1);
    });

    test('04/9 with a pod that is not to be disrupted stays until it may be', async () => {
      const tenant = await karpenter.addTenant('kept');
      await tenant.addPool({ template: { requirements: [ON_DEMAND] }, spec: disrupting() });
      const [pod, node] = await startOversized(tenant, { [DO_NOT_DISRUPT]: 'true' });
      await untilToldOf(
        tenant,
        'DisruptionBlocked',
        node,
        `Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=kept/${pod})`,
      );
      await assertUndisturbed(tenant, 1);
      const patch = { type: 'merge', body: { metadata: { annotations: { [DO_NOT_DISRUPT]: null } } } } as const;
      await tenant.client.patch(PODS, { namespace: tenant.name, name: pod }, patch);
      await tenant.untilGone(NODES, node);
      await tenant.untilReady(1);
      await tenant.untilRunning(1);
    });

    test('04/14 whose pods no budget lets go stays until that allows it', async () => {
      const tenant = await karpenter.addTenant('held');
      await tenant.addPool({ template: { requirements: [ON_DEMAND] }, spec: disrupting() });
      await tenant.create(POD_DISRUPTION_BUDGETS, {
        metadata: { name: 'app' },
        spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'app' } } },
      });
      const [, node] = await startOversized(tenant);
      await untilToldOf(
        tenant,
        'DisruptionBlocked',
        node,
        'Pdb prevents pod evictions (PodDisruptionBudget=[held/app])',
      );
      await assertUndisturbed(tenant, 1);
      await tenant.client.delete(POD_DISRUPTION_BUDGETS, { namespace: tenant.name, name: 'app' });
      await tenant.untilGone(NODES, node);
      await tenant.untilRunning(1);
    });

    test('04/36 that is empty stays while a budget for that reason is closed, and goes when its window ends', async () => {
      const tenant = await karpenter.addTenant('window');
      const closed = { nodes: '0', reasons: ['Empty'], schedule: '* * * * *', duration: '1h' };
      await tenant.addPool({ spec: disrupting({ budgets: [{ nodes: '50%' }, closed] }) });
      await tenant.addPods({ replicas: 1 });
      await tenant.untilRunning(1);
      const [launched] = await tenant.untilReady(1);
      await scale(tenant, 0);
      const message = 'No allowed disruptions for disruption reason Empty due to blocking budget';
      await untilToldOf(tenant, 'DisruptionBlocked', tenant.name, message);
      await assertUndisturbed(tenant, 1);
      // A window of half a minute that will not open for half an hour.
      const minute = (new Date().getUTCMinutes() + 30) % 60;
      const elsewhere = { ...closed, schedule: `${minute} * * * *`, duration: '1m' };
      await changePool(tenant, { disruption: { budgets: [{ nodes: '50%' }, elsewhere] } });
      await tenant.untilGone(NODE_CLAIMS, nameOf(launched!.nodeClaim));
    });

    test('04/50 that has drifted is replaced, one after the other if the budget says so, and the new one comes first', async () => {
      const tenant = await karpenter.addTenant('drift');
      const disruption = { consolidateAfter: 'Never', budgets: [{ nodes: '1', reasons: ['Drifted'] }] };
      await tenant.addPool({ template: { requirements: [ofCores(4)] }, spec: { disruption } });
      await tenant.addPods({ replicas: 3, cpu: '3' }); // one a node
      await tenant.untilRunning(3);
      const before = await tenant.untilReady(3);
      await changePool(tenant, SECOND_EDITION);
      const { most, early } = await watchRoll(
        tenant,
        before.map(({ nodeClaim }) => nodeClaim),
      );
      assert.deepEqual([most, early], [1, []]);
      const nodes = await tenant.untilReady(3);
      assert.deepEqual(
        nodes.map(({ node }) => node.metadata.labels?.['edition']),
        ['second', 'second', 'second'],
      );
      await tenant.untilRunning(3);
    });

    test('of a daemon whose requests come from a LimitRange holds both it and its deployment in the end', async () => {
      const tenant = await karpenter.addTenant('limit-range');
      await tenant.create(LIMIT_RANGES, {
        metadata: { name: 'defaults' },
        spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '1' } }] },
      });
      await tenant.addPool({ template: { requirements: [ON_DEMAND] }, spec: disrupting() });
      await addDaemonWithoutRequests(tenant);
      await tenant.addPods({ replicas: 1, cpu: '1.5' }); // fits a node of two cores, but for the daemon
      await until('one node holds the pod and its daemon', async () => {
        const nodes = await tenant.nodes();
        const pods = await tenant.pods();
        const [node] = nodes;
        if (nodes.length !== 1 || pods.length !== 2) throw new Error(`${nodes.length} nodes, ${pods.length} pods`);
        return pods.every(({ spec, status }) => spec.nodeName === node!.metadata.name && status.phase === 'Running');
      });
    });
  });

  test('no request was forbidden', () => {
    assert.deepEqual(karpenter.proxy.refused, []);
  });

  // Not beside the others: while its node is displaced, a command for any other node buys for its pod too, as upstream's do,
  // and waits for a replacement that is never initialised.
  describe('a node by itself', () => {
    test('04/77 whose replacement disappears is left as it was', async () => {
      const tenant = await karpenter.addTenant('rollback');
      const disruption = { consolidateAfter: 'Never', budgets: [{ nodes: '1' }] };
      await tenant.addPool({ template: { requirements: [ofCores(4)] }, spec: { disruption } });
      await tenant.addPods({ replicas: 1, cpu: '3' });
      const [pod] = await tenant.untilRunning(1);
      const [old] = await tenant.untilReady(1);
      // Nodes of the new template are never initialised, because nobody takes this taint off.
      const startupTaints = [{ key: 'e2e.test/never', effect: 'NoSchedule' }];
      await changePool(tenant, { template: { spec: { startupTaints } } });
      const replacement = await until('the replacement is there, and the old node is tainted', async () => {
        const other = (await tenant.nodeClaims()).find((claim) => nameOf(claim) !== nameOf(old!.nodeClaim));
        const node = (await tenant.nodes()).find(({ metadata }) => metadata.name === old!.node.metadata.name);
        return node && isTainted(node) && other && isTrue(other, 'Registered') && other;
      });
      await untilToldOf(
        tenant,
        'DisruptionWaitingReadiness',
        nameOf(replacement),
        'Waiting on readiness to continue disruption',
      );
      await changePool(tenant, { disruption: { budgets: [{ nodes: '0' }] } }); // once is enough
      await deleteClaim(tenant, replacement);
      await until('the old node is as it was', async () => {
        const node = (await tenant.nodes()).find(({ metadata }) => metadata.name === old!.node.metadata.name);
        const claim = (await tenant.nodeClaims()).find((one) => nameOf(one) === nameOf(old!.nodeClaim));
        return node !== undefined && claim !== undefined && !isTainted(node) && !isMarked(claim);
      });
      await tenant.untilGone(NODE_CLAIMS, nameOf(replacement));
      const [still] = await tenant.untilRunning(1);
      assert.equal(still?.metadata.uid, pod?.metadata.uid);
    });
  });

  describe('a spot node, with the types and prices of EC2', () => {
    /** Starts another controller, with the gate or without. */
    async function restart(gate: boolean): Promise<void> {
      await karpenter.killControllers();
      karpenter.start({
        CATALOGUE: 'ec2',
        DISABLE_LEADER_ELECTION: 'true',
        FEATURE_GATES: `SpotToSpotConsolidation=${gate}`,
      });
    }

    test('04/98 is not replaced by another unless the gate is open, and then by one of fifteen types', async () => {
      await restart(false);
      const tenant = await karpenter.addTenant('spot');
      const few = await karpenter.addTenant('few-types');
      await tenant.addPool({ template: { requirements: [SPOT] }, spec: disrupting() });
      const types = {
        key: INSTANCE_TYPE_LABEL,
        operator: 'In',
        values: ['m5.large', 'm5.xlarge', 'm5.2xlarge', 'm5.4xlarge'],
      };
      await few.addPool({ template: { requirements: [SPOT, types] }, spec: disrupting() });
      const nodes = await Promise.all([tenant, few].map((one) => startOversized(one, {}, '7')));
      const [[, large], [, largeOfFew]] = nodes as [[string, string], [string, string]];
      const disabled = "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node";
      await untilToldOf(tenant, 'Unconsolidatable', large, disabled);

      await restart(true);
      const text =
        'SpotToSpotConsolidation requires 15 cheaper instance type options than the current candidate to consolidate, got';
      await untilToldOf(few, 'Unconsolidatable', largeOfFew, text);
      await tenant.untilGone(NODES, large);
      const [small] = await tenant.untilReady(1);
      const requirement = small!.nodeClaim.spec.requirements.find(({ key }) => key === INSTANCE_TYPE_LABEL);
      assert.equal(requirement?.values?.length, 15);
      assert.equal(small!.node.metadata.labels?.[CAPACITY_TYPE_LABEL], 'spot');
      await tenant.untilRunning(1);
      await assertUndisturbed(few, 1);
    });
  });
});

/** A pod on a node that is much too large for it; resolves with the names of both. */
async function startOversized(
  tenant: Tenant,
  annotations: Readonly<Record<string, string>> = {},
  cpu = '3',
): Promise<readonly [pod: string, node: string]> {
  await tenant.addPods({ name: 'large', replicas: 1, cpu });
  await tenant.untilRunning(1, 'large');
  await tenant.addPods({ replicas: 1, cpu: '0.5', memory: '128Mi', annotations });
  const [pod] = await tenant.untilRunning(1, 'app');
  await tenant.untilReady(1);
  await scale(tenant, 0, 'large');
  await until('the large pod is gone', async () => (await tenant.pods('large')).length === 0);
  return [pod!.metadata.name, pod!.spec.nodeName ?? ''];
}

/** There are as many nodes as before, and no command is about any of them. */
async function assertUndisturbed(tenant: Tenant, count: number): Promise<void> {
  const claims = await tenant.nodeClaims();
  const disturbed = claims.filter((claim) => isMarked(claim) || claim.metadata.deletionTimestamp !== undefined);
  assert.deepEqual([claims.length, disturbed.map(nameOf)], [count, []]);
}

/** Pods of it are important enough to push others from a node. */
async function addDaemonWithoutRequests(tenant: Tenant): Promise<void> {
  const labels = { app: 'daemon' };
  const containers = [{ name: 'daemon', image: 'none' }];
  const spec = { nodeSelector: { [TENANT]: tenant.name }, priorityClassName: 'system-node-critical', containers };
  await tenant.create(DAEMON_SETS, {
    metadata: { name: 'daemon' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
}

function nameOf({ metadata }: ApiObject): string {
  return metadata.name;
}

function coresOf({ metadata }: NodeClaim): number {
  return Number(metadata.labels?.['karpenter.kwok.sh/instance-cpu']);
}
