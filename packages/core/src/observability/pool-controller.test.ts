import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  type NodeClaim,
  NODEPOOL_LABEL,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { HOUR, MINUTE } from '@karpenter-ts/runtime';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { fakeType, makeOffering } from '@karpenter-ts/scheduling/testing';
import { FOREIGN_CLASS_REF, makeNodeClaim, makeNodePool } from '../testing/objects.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';
import { poolMetricsController } from './pool-controller.ts';
import { NodePrices } from '../state/node-prices.ts';
import { pricingController } from '../state/pricing-controller.ts';

/** Types of one name, at these prices on demand and spot. */
const types = (onDemand: number, spot: number) => [
  fakeType('m', { offerings: [makeOffering('zone-1', 'on-demand', onDemand), makeOffering('zone-1', 'spot', spot)] }),
];

async function start(t: TestContext) {
  const provider = new FakeCloudProvider({ instanceTypes: types(3, 1) });
  const env = await startTestEnvironment(t, { provider });
  const costs = new NodePrices(env.caches);
  await env.run(poolMetricsController(env, costs), pricingController(env, costs));
  const lines = async (name: string) =>
    (await env.page())
      .split('\n')
      .filter((line) => line.startsWith(`karpenter_nodepools_${name}`))
      .map((line) => line.slice('karpenter_nodepools_'.length));
  return { env, provider, lines, costs };
}

function bought(name: string, capacityType: string, instanceType = 'm'): NodeClaim {
  const labels = {
    [NODEPOOL_LABEL]: 'p',
    [INSTANCE_TYPE_LABEL]: instanceType,
    [ZONE_LABEL]: 'zone-1',
    [CAPACITY_TYPE_LABEL]: capacityType,
  };
  return makeNodeClaim(name, { labels });
}

test('05/47 a NodePool shows its limits and what it uses, those of other providers nothing', async (t) => {
  const { env, lines } = await start(t);
  const limits = { cpu: '10500m', memory: '64Mi', 'ephemeral-storage': '5', 'nvidia.com/gpu': '2' };
  await env.create(NODE_POOLS, makeNodePool('p', { limits }));
  await env.create(NODE_POOLS, makeNodePool('foreign', { limits, template: { nodeClassRef: FOREIGN_CLASS_REF } }));
  await env.change(NODE_POOLS, 'p', { status: { resources: { cpu: '2', nodes: '1' } } });
  assert.deepEqual((await lines('limit')).sort(), [
    'limit{nodepool="p",resource_type="cpu"} 10.5',
    'limit{nodepool="p",resource_type="ephemeral_storage"} 5',
    'limit{nodepool="p",resource_type="memory"} 6.7108864e+07',
    'limit{nodepool="p",resource_type="nvidia.com/gpu"} 2',
  ]);
  assert.deepEqual(await lines('usage'), [
    'usage{nodepool="p",resource_type="cpu"} 2',
    'usage{nodepool="p",resource_type="nodes"} 1',
  ]);
  await env.delete(NODE_POOLS, 'p');
  assert.ok(!(await env.page()).includes('karpenter_nodepools_'));
});

test('a NodePool costs what its instances do, from their launch to their end', async (t) => {
  const { env, provider, lines } = await start(t);
  await env.create(NODE_POOLS, makeNodePool('p'));
  assert.deepEqual(await lines('cost_total'), ['cost_total{nodepool="p"} 0']);
  await env.create(NODE_CLAIMS, bought('a', 'on-demand'));
  await env.create(NODE_CLAIMS, bought('b', 'spot'));
  await env.create(NODE_CLAIMS, bought('c', 'spot'));
  await env.create(NODE_CLAIMS, makeNodeClaim('unlaunched', { labels: { [NODEPOOL_LABEL]: 'p' } }));
  assert.deepEqual(await lines('cost_total'), ['cost_total{nodepool="p"} 5']);
  assert.equal(provider.callsOf('instanceTypes').length, 2, 'asked once for each purchase of its kind');
  await env.delete(NODE_CLAIMS, 'b');
  assert.deepEqual(await lines('cost_total'), ['cost_total{nodepool="p"} 4']);
});

test('prices are looked up again every hour; what is no longer on offer keeps its own', async (t) => {
  const { env, provider, lines } = await start(t);
  await env.create(NODE_POOLS, makeNodePool('p'));
  await env.create(NODE_CLAIMS, bought('a', 'on-demand'));
  provider.offer(types(4, 1));
  await env.clock.advance(1 * HOUR);
  assert.deepEqual(await lines('cost_total'), ['cost_total{nodepool="p"} 4']);
  provider.offer([]);
  await env.clock.advance(1 * HOUR);
  assert.deepEqual(await lines('cost_total'), ['cost_total{nodepool="p"} 4']);
  await env.delete(NODE_CLAIMS, 'a');
  await env.clock.advance(1 * HOUR);
  const asked = provider.callsOf('instanceTypes').length;
  await env.clock.advance(2 * HOUR);
  assert.equal(provider.callsOf('instanceTypes').length, asked, 'a NodePool without instances needs no prices');
});

test('a price that is unknown counts for nothing and is told of once; failing to ask is counted and tried again', async (t) => {
  const { env, provider, lines, costs } = await start(t);
  await env.create(NODE_POOLS, makeNodePool('p'));
  await env.create(NODE_CLAIMS, bought('a', 'spot', 'strange'));
  assert.equal(costs.priceOf(bought('a', 'spot', 'strange')), undefined, 'it is not free of charge');
  await env.change(NODE_CLAIMS, 'a', { metadata: { annotations: { touched: 'yes' } } });
  const told = env.logger.lines.filter(({ message }) => message.startsWith('offering price unknown'));
  assert.equal(told.length, 1);
  assert.match(
    String(told[0]!.error),
    /failed to find offering for instance "strange" in zone "zone-1" with capacity "spot" in nodepool "p"/,
  );
  provider.offer(new Error('class not ready'));
  await env.create(NODE_CLAIMS, bought('b', 'spot'));
  assert.deepEqual(await lines('cost_tracker_errors_total'), ['cost_tracker_errors_total{nodepool="p"} 1']);
  provider.offer(types(3, 1));
  await env.clock.advance(1 * MINUTE);
  assert.deepEqual(await lines('cost_total'), ['cost_total{nodepool="p"} 1']);
});
