import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CAPACITY_TYPE_LABEL, HOSTNAME_LABEL, INSTANCE_TYPE_LABEL, NODE_POOLS, ZONE_LABEL } from '@karpenter-ts/apis';
import { NODES, PODS } from '@karpenter-ts/kubernetes';
import type { InstanceType, Offering } from '@karpenter-ts/scheduling';
import { fakeType, ladder, makeOffering, reserved } from '@karpenter-ts/scheduling/testing';
import { conditionOf, pendingPod, plainNode } from '../../testing/cluster-objects.ts';
import { ConsolidationView } from '../testing/consolidation-view.ts';
import { type DisruptionEnvironment, startDisruptionEnvironment } from '../testing/disruption-environment.ts';

type Settings = Parameters<typeof startDisruptionEnvironment>[1];

const SPOT_TO_SPOT = { featureGates: { SpotToSpotConsolidation: true } };

async function start(t: TestContext, settings: Settings & { readonly spotToSpot?: boolean } = {}) {
  const { spotToSpot = false, ...rest } = settings;
  const env = await startDisruptionEnvironment(t, rest);
  if (spotToSpot) {
    const options = env.options as { featureGates: typeof env.options.featureGates };
    options.featureGates = { ...options.featureGates, ...SPOT_TO_SPOT.featureGates };
  }
  return env;
}

async function look(env: DisruptionEnvironment, ...nodeClaims: readonly string[]): Promise<string | undefined> {
  return (await ConsolidationView.read(env)).look(...nodeClaims);
}

const onlyCapacityType = (...values: readonly string[]) =>
  [{ key: CAPACITY_TYPE_LABEL, operator: 'In', values }] as const;

/** A type of 4 cpus that is sold at these prices. */
function sold(name: string, ...offerings: readonly Offering[]): InstanceType {
  return fakeType(name, { offerings, resources: { cpu: '4', memory: '8Gi', pods: '40' } });
}

const at = (zone: number, capacityType: string, price: number, available = true): Offering =>
  makeOffering(`test-zone-${zone}`, capacityType, price, { available });

test('04/89 an oversized node is replaced by a type that costs less, the dearest not among them', async (t) => {
  const env = await start(t, { instanceTypes: ladder(4) });
  await env.addPool();
  await env.addNode('a', { type: 'fake-it-3' });
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  assert.equal(await look(env, 'a'), 'replace by fake-it-1,fake-it-2 spot');
});

test('04/90 04/91 a node goes if its pods fit on others, be they unmanaged', async (t) => {
  const env = await start(t);
  await env.addPool();
  for (const name of ['a', 'b']) await env.addNode(name, { type: 'fake-it-1' });
  for (const [pod, node] of ['a', 'a', 'b'].entries()) await env.addPod(`p${pod}`, node, { requests: { cpu: '600m' } });
  const view = await ConsolidationView.read(env);
  assert.deepEqual(
    view.candidates.toSorted((a, b) => b.savingsRatio - a.savingsRatio).map(({ node }) => node.metadata.name),
    ['node-of-b', 'node-of-a'],
  );
  assert.equal(await view.look('b'), 'delete');
  await env.create(NODES, plainNode('other', { capacity: { cpu: '8', memory: '16Gi', pods: '10' } }));
  await env.change(NODES, 'other', { spec: { taints: [] } });
  assert.equal(await look(env, 'a', 'b'), 'delete');
});

test('04/92 a node stays if a pod would have no place; a pod that has none anyway changes nothing', async (t) => {
  const env = await start(t);
  await env.addPool();
  for (const name of ['a', 'b']) await env.addNode(name);
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  await env.addPod('stuck', 'b', { requests: { cpu: '1' }, nodeSelector: { team: 'x' } });
  await env.create(PODS, pendingPod('never', { requests: { cpu: '1000' } }));
  const text = (await look(env, 'b'))!;
  assert.match(text, /^Not all pods would schedule, default\/stuck => .*label "team" does not have known values/);
  assert.equal(await look(env, 'a'), 'delete');
});

test('04/94 pods move to nodes of other pools although their own pool offers nothing any more', async (t) => {
  const env = await start(t);
  for (const name of ['default', 'broken']) await env.addPool(name);
  await env.addNode('a');
  await env.addNode('b', { pool: 'broken' });
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  env.provider.offer([], 'broken');
  assert.equal(await look(env, 'a'), 'delete');
});

test('04/95 a type counts at its dearest zone', async (t) => {
  const types = [sold('now', at(1, 'on-demand', 1)), sold('new', at(1, 'spot', 0.5), at(2, 'spot', 1.1))];
  const env = await start(t, { instanceTypes: types });
  await env.addPool();
  await env.addNode('a', { type: 'now' });
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  assert.equal(await look(env, 'a'), "Can't replace with a cheaper node");
});

test('04/96 spot prices do not count in a pool without spot', async (t) => {
  const types = [sold('now', at(1, 'on-demand', 1)), sold('new', at(1, 'spot', 0.5), at(1, 'on-demand', 1.1))];
  const env = await start(t, { instanceTypes: types });
  await env.addPool('default', { template: { requirements: onlyCapacityType('on-demand') } });
  await env.addNode('a', { type: 'now' });
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  assert.equal(await look(env, 'a'), "Can't replace with a cheaper node");
});

test('04/97 a replacement that may be spot must be, so that no dearer on-demand node is bought', async (t) => {
  const types = [sold('now', at(1, 'on-demand', 1)), sold('new', at(1, 'spot', 0.5), at(1, 'on-demand', 1.1))];
  const env = await start(t, { instanceTypes: types });
  await env.addPool('default', { template: { requirements: onlyCapacityType('on-demand', 'spot') } });
  await env.addNode('a', { type: 'now' });
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  const option = await (await ConsolidationView.read(env)).option('a');
  assert.ok(option.decision === 'replace');
  assert.deepEqual(option.replacements[0]!.planned.capacityTypes, ['spot']);
  assert.deepEqual(option.plan.newNodes, [option.replacements[0]!.planned]);
  assert.equal(option.savings, 0.5);
});

test('04/155 types without spot are bought on demand if that is cheaper, instead of a launch that must fail', async (t) => {
  const types = [
    sold('now', at(1, 'on-demand', 1), at(1, 'spot', 0.9, false)),
    sold('new', at(1, 'on-demand', 0.8), at(1, 'spot', 0.4, false)),
  ];
  const env = await start(t, { instanceTypes: types });
  await env.addPool('default', { template: { requirements: onlyCapacityType('on-demand', 'spot') } });
  await env.addNode('a', { type: 'now' });
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  assert.equal(await look(env, 'a'), 'replace by new on-demand');
});

/** Spot types of prices 1, 2, 3 …, each in one zone. */
const spotTypes = (count: number): readonly InstanceType[] =>
  Array.from({ length: count }, (_, i) => sold(`type-${String(i + 1).padStart(2, '0')}`, at(1, 'spot', i + 1)));

const nameOf = (i: number): string => `type-${String(i).padStart(2, '0')}`;
const names = (count: number): string => Array.from({ length: count }, (_, i) => nameOf(i + 1)).join();

/** A spot node of the type of this number, with one pod, and what becomes of it. */
async function lookAtSpot(
  t: TestContext,
  parts: { types: number; current: number; minValues?: number; isOn?: boolean; bestEffort?: boolean },
): Promise<string | undefined> {
  const { types, current, minValues, isOn = true, bestEffort = false } = parts;
  const options = bestEffort ? { minValuesPolicy: 'BestEffort' as const } : {};
  const env = await start(t, { instanceTypes: spotTypes(types), spotToSpot: isOn, options });
  const requirements =
    minValues === undefined ? [] : [{ key: INSTANCE_TYPE_LABEL, operator: 'Exists' as const, minValues }];
  await env.addPool('default', { template: { requirements } });
  await env.addNode('a', { type: nameOf(current), capacityType: 'spot' });
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  return look(env, 'a');
}

test('04/98 a spot node is replaced by spot only if that is switched on, but may be deleted', async (t) => {
  assert.equal(
    await lookAtSpot(t, { types: 20, current: 20, isOn: false }),
    "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node",
  );
  const env = await start(t);
  await env.addPool();
  for (const name of ['a', 'b']) await env.addNode(name, { capacityType: 'spot' });
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  assert.equal(await look(env, 'a'), 'delete');
});

test('04/99 a spot node stays if fewer than 15 types are cheaper', async (t) => {
  const text =
    'SpotToSpotConsolidation requires 15 cheaper instance type options than the current candidate to consolidate';
  assert.equal(await lookAtSpot(t, { types: 20, current: 2 }), `${text}, got 1`);
  assert.equal(await lookAtSpot(t, { types: 20, current: 15 }), `${text}, got 14`);
  assert.equal(await lookAtSpot(t, { types: 20, current: 1 }), "Can't replace with a cheaper node");
});

test('04/100 the 15 cheapest types are asked for, or as many as minValues needs', async (t) => {
  assert.equal(await lookAtSpot(t, { types: 20, current: 18 }), `replace by ${names(15)} spot`);
  assert.equal(await lookAtSpot(t, { types: 20, current: 18, minValues: 16 }), `replace by ${names(16)} spot`);
  assert.equal(await lookAtSpot(t, { types: 20, current: 18, minValues: 10 }), `replace by ${names(15)} spot`);
});

test('04/101 04/102 minValues hold after the filter by price, also where they may be relaxed', async (t) => {
  const text =
    'Filtering by price: minValues requirement is not met for label(s) (label(s)=[node.kubernetes.io/instance-type])';
  assert.equal(await lookAtSpot(t, { types: 20, current: 16, minValues: 16 }), text);
  assert.equal(await lookAtSpot(t, { types: 20, current: 16, minValues: 16, bestEffort: true }), text);
  assert.equal(await lookAtSpot(t, { types: 20, current: 1, minValues: 16 }), "Can't replace with a cheaper node");
});

test('04/103 nodes move into reserved capacity of their own type, and on to cheaper reservations', async (t) => {
  const reservation = (id: string, pricePerHour: number) => reserved('test-zone-1', id, 1, { pricePerHour });
  const now = [at(1, 'on-demand', 1), at(1, 'spot', 0.8)];
  for (const capacityType of ['on-demand', 'spot'] as const) {
    const env = await start(t, { instanceTypes: [sold('now', ...now, reservation('r1', 0.001))] });
    await env.addPool();
    await env.addNode('a', { type: 'now', capacityType });
    await env.addPod('p', 'a', { requests: { cpu: '1' } });
    assert.equal(await look(env, 'a'), 'replace by now reserved', capacityType);
  }
  const types = [sold('now', reservation('r1', 0.002)), sold('new', reservation('r2', 0.001))];
  const env = await start(t, { instanceTypes: types });
  await env.addPool();
  await env.addNode('a', { type: 'now', capacityType: 'reserved' });
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  assert.equal(await look(env, 'a'), 'replace by new reserved');
});

test('04/104 pods that keep apart stay apart, and the zone of a spread is kept', async (t) => {
  const env = await start(t);
  await env.addPool();
  for (const name of ['a', 'b']) await env.addNode(name, { labels: { [HOSTNAME_LABEL]: `node-of-${name}` } });
  const affinity = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'x' } }, topologyKey: HOSTNAME_LABEL },
      ],
    },
  };
  for (const name of ['a', 'b']) {
    await env.addPod(`p-${name}`, name, { labels: { app: 'x' }, requests: { cpu: '3' }, affinity });
  }
  assert.equal(await look(env, 'a'), "Can't replace with a cheaper node");
  const other = await start(t);
  await other.addPool();
  const topologySpreadConstraints = [
    {
      maxSkew: 1,
      topologyKey: ZONE_LABEL,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'x' } },
    },
  ];
  for (const zone of [1, 2, 3]) {
    const name = `n${zone}`;
    await other.addNode(name, {
      type: 'fake-it-2',
      capacityType: 'on-demand',
      labels: { [ZONE_LABEL]: `test-zone-${zone}`, [HOSTNAME_LABEL]: `node-of-${name}` },
    });
    await other.addPod(`p${zone}`, name, {
      labels: { app: 'x' },
      requests: { cpu: '500m' },
      topologySpreadConstraints,
    });
  }
  assert.equal(await look(other, 'n2'), 'replace by fake-it-0,fake-it-1 spot test-zone-2');
});

test('04/105 preferences keep no node if they are ignored', async (t) => {
  const affinity = {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 1,
          preference: { matchExpressions: [{ key: INSTANCE_TYPE_LABEL, operator: 'In', values: ['fake-it-3'] }] },
        },
      ],
    },
  };
  for (const [preferencePolicy, expected] of [
    ['Respect', "Can't replace with a cheaper node"],
    ['Ignore', 'replace by fake-it-1,fake-it-2 spot'],
  ] as const) {
    const env = await start(t, { options: { preferencePolicy } });
    await env.addPool();
    await env.addNode('a');
    await env.addPod('p', 'a', { requests: { cpu: '1' }, affinity });
    assert.equal(await look(env, 'a'), expected);
  }
});

test('04/107 a node stays if a pending pod needs it', async (t) => {
  const env = await start(t, { instanceTypes: ladder(4) });
  await env.addPool();
  await env.addNode('a');
  await env.addPod('p', 'a', { requests: { cpu: '100m' } });
  await env.create(PODS, pendingPod('huge', { requests: { cpu: '3' } }));
  assert.equal(await look(env, 'a'), "Can't replace with a cheaper node");
});

test('04/168 pods without an owner move like others', async (t) => {
  const env = await start(t);
  await env.addPool();
  for (const name of ['a', 'b']) await env.addNode(name);
  await env.addPod('p', 'a', { requests: { cpu: '1' }, ownerReferences: [] });
  assert.equal(await look(env, 'a'), 'delete');
});

test('without a pool that nodes can be bought from, pods still move to nodes that exist', async (t) => {
  const env = await start(t);
  await env.addPool();
  for (const name of ['a', 'b']) await env.addNode(name);
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  await env.addPod('q', 'b', { requests: { cpu: '3500m' } });
  await env.change(NODE_POOLS, 'default', { status: { conditions: [conditionOf('Ready', 'False')] } });
  assert.match((await look(env, 'a'))!, /^Not all pods would schedule, default\/p => /);
});

test('a last resort that a launch would not take is no cheaper replacement', async (t) => {
  const metal = { ...sold('metal', at(1, 'on-demand', 0.5)), lastResort: true };
  const lookAt = async (requests: Readonly<Record<string, string>>, ...cheaper: readonly InstanceType[]) => {
    const instanceTypes = [sold('old', at(1, 'on-demand', 1)), metal, ...cheaper];
    const env = await start(t, { instanceTypes });
    await env.addPool();
    await env.addNode('a', { type: 'old' });
    await env.addPod('p', 'a', { requests });
    return look(env, 'a');
  };
  const large = (name: string, price: number): InstanceType => ({
    ...fakeType(name, { offerings: [at(1, 'on-demand', price)], resources: { cpu: '4', memory: '64Gi' } }),
    lastResort: true,
  });
  assert.equal(await lookAt({ cpu: '1' }), "Can't replace with a cheaper node");
  assert.equal(await lookAt({ cpu: '1' }, sold('new', at(1, 'on-demand', 0.8))), 'replace by new on-demand');
  assert.equal(await lookAt({ memory: '32Gi' }, large('cheap', 0.6), large('dear', 1.6)), 'replace by cheap on-demand');
});

test('with minValues last resorts are replacements as any others', async (t) => {
  const metal = { ...sold('metal', at(1, 'on-demand', 0.5)), lastResort: true };
  const env = await start(t, { instanceTypes: [sold('old', at(1, 'on-demand', 1)), metal] });
  await env.addPool('default', {
    template: { requirements: [{ key: INSTANCE_TYPE_LABEL, operator: 'Exists', minValues: 1 }] },
  });
  await env.addNode('a', { type: 'old' });
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  assert.equal(await look(env, 'a'), 'replace by metal on-demand');
});
