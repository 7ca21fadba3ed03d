import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodePool } from '@karpenter-ts/apis';
import { nullLogger } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { makePool } from '@karpenter-ts/scheduling/testing';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { nodeClass, subnetsIn, typeEnvironment } from '../offerings/testing/type-environment.ts';
import { offeringMetrics } from './offering-metrics.ts';

const AVAILABLE = 'karpenter_cloudprovider_instance_type_offering_available';
const PRICE = 'karpenter_cloudprovider_instance_type_offering_price_estimate';

/** NodePools by name, each with its types. */
async function environment({ reservedCapacity = false, types = ['m5.large'] } = {}) {
  const catalogue = await typeEnvironment({ types });
  const others: NodePool[] = [];
  const pools = new Map<string, () => readonly InstanceType[]>();
  const controller = offeringMetrics({
    nodePools: { list: () => [...others, ...[...pools.keys()].map(ourPool)] },
    instanceTypes: async ({ metadata }: NodePool) => pools.get(metadata.name)!(),
    reservedCapacity,
    metrics: catalogue.metrics,
  });
  async function values(metric: string): Promise<Readonly<Record<string, number>>> {
    let page = '';
    for await (const part of catalogue.metrics.render('text')) page += part;
    const found = page.matchAll(/^(\w+)\{capacity_type="(.*)",instance_type="(.*)",zone="(.*)"\} (.*)$/gm);
    const lines = [...found].filter(([, name]) => name === metric);
    return Object.fromEntries(
      lines.map(([, , capacity, type, zone, value]) => [`${type} ${capacity} ${zone}`, Number(value)]),
    );
  }
  const reconcile = () => controller.reconcile('', NEVER, nullLogger);
  return { ...catalogue, pools, others, reconcile, values, controller };
}

function ourPool(name: string): NodePool {
  const pool = makePool(name);
  const { template } = pool.spec;
  const nodeClassRef = { group: EC2_NODE_CLASSES.group, kind: EC2_NODE_CLASSES.kind, name: 'default' };
  return { ...pool, spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, nodeClassRef } } } };
}

const inZones = (...letters: readonly string[]) => nodeClass({ status: { subnets: subnetsIn(...letters) } });

test('05/56, 07/113, 08/127 what one NodePool can have is available, and what none can has a price', async () => {
  const { pools, list, reconcile, values, prices, controller } = await environment();
  pools.set('a', () => list(inZones('a')));
  pools.set('b', () => list(inZones('b')));
  assert.equal(controller.name, 'cloudprovider.metrics');
  assert.deepEqual(await reconcile(), { requeueAfter: 60_000 });
  const available = await values(AVAILABLE);
  assert.deepEqual(
    ['a', 'b', 'c'].map((letter) => available[`m5.large on-demand us-west-2${letter}`]),
    [1, 1, 0],
  );
  assert.equal((await values(PRICE))['m5.large on-demand us-west-2c'], prices.onDemand('m5.large'));
  assert.ok(Object.keys(available).every((series) => !series.includes('reserved')));
});

test('05/57, 07/114 with reservations every zone says whether something reserved is available', async () => {
  const { pools, list, reservations, reconcile, values, discovered } = await environment({ reservedCapacity: true });
  const reservation = {
    id: 'cr-1',
    instanceType: 'm5.large',
    availabilityZone: 'us-west-2a',
    instanceMatchCriteria: 'targeted',
    ownerID: '012345678901',
    reservationType: 'default',
    state: 'active',
  } as const;
  reservations.counted('cr-1', 1);
  pools.set('a', () => list(nodeClass({ status: { capacityReservations: [reservation] } })));
  pools.set('b', () => list());
  await reconcile();
  const available = await values(AVAILABLE);
  const reserved = Object.entries(available).filter(([series]) => series.includes('reserved'));
  const expected = [...discovered.zones].map((zone) => [`m5.large reserved ${zone}`, zone === 'us-west-2a' ? 1 : 0]);
  assert.deepEqual(Object.fromEntries(reserved), Object.fromEntries(expected));
});

test('07/115 if the types of a NodePool cannot be had, that is an error, and what was shown stays', async () => {
  const { pools, list, reconcile, values, ec2, discovered } = await environment();
  pools.set('a', () => list());
  await reconcile();
  const before = await values(AVAILABLE);
  pools.set('b', () => list(inZones()));
  ec2.offerings['m5.large'] = [];
  ec2.offerings['c5.large'] = ['us-west-2a'];
  await discovered.refreshOfferings(NEVER);
  await assert.rejects(reconcile(), { message: 'no subnets found' });
  assert.deepEqual(await values(AVAILABLE), before);
});

test('types and zones that are gone are no longer shown', async () => {
  const { pools, list, reconcile, values, ec2, discovered } = await environment({ types: ['m5.large', 'c5.large'] });
  pools.set('a', () => list());
  await reconcile();
  ec2.types[0]!.pop();
  await discovered.refreshTypes(NEVER);
  await reconcile();
  assert.ok(Object.keys(await values(PRICE)).every((series) => series.startsWith('m5.large ')));
  pools.clear();
  await reconcile();
  assert.deepEqual(await values(PRICE), {});
});

test('NodePools of another provider are none of ours, whatever the names of their NodeClasses', async () => {
  const { pools, others, list, reconcile, values } = await environment();
  others.push(makePool('theirs'));
  await reconcile();
  assert.deepEqual(await values(PRICE), {});
  pools.set('ours', () => list());
  await reconcile();
  assert.ok(Object.keys(await values(PRICE)).length > 0);
});
