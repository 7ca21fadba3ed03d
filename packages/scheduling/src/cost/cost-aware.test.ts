import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, HOSTNAME_LABEL, type NodePool, ZONE_LABEL } from '@karpenter-ts/apis';
import type { InstanceType, PackingOptions } from '../snapshot.ts';
import { planSnapshot } from '../planner.ts';
import type { Plan } from '../plan.ts';
import { makeNode, makeOffering, makePod, makePool, makeType } from '../testing/builders.ts';
import { checkPlan } from '../testing/checker/check-plan.ts';
import { reserved } from '../testing/fake-types.ts';
import { DEFAULT_PACKING } from '../testing/packing.ts';
import { outlineOf, placedPods } from '../testing/plan-outline.ts';
import { valuesOf, TestEnvironment } from '../testing/test-environment.ts';
import { packingOptions } from './packing-options.ts';

const ZONES = ['zone-a', 'zone-b', 'zone-c'];

/** A type without overhead that is on demand in every zone. */
function onDemand(name: string, cpus: number, price: number): InstanceType {
  return makeType(name, {
    capacity: { cpu: String(cpus), memory: `${4 * cpus}Gi`, pods: '50' },
    offerings: ZONES.map((zone) => makeOffering(zone, 'on-demand', price)),
  });
}

interface EnvironmentParts {
  readonly pools?: readonly NodePool[];
  readonly types?: readonly InstanceType[];
  readonly typesOf?: Readonly<Record<string, readonly InstanceType[]>>;
  readonly packing?: Partial<PackingOptions>;
}

/** Both plans for the same pods: upstream's, and the one these options ask for. */
function environmentOf({ packing, ...parts }: EnvironmentParts) {
  const upstream = new TestEnvironment({ ...parts, options: { reservedCapacity: 'Off' } });
  const costAware = new TestEnvironment({
    ...parts,
    options: { reservedCapacity: 'Off', packing: { ...DEFAULT_PACKING, ...packing } },
  });
  return { upstream, costAware };
}

function annotated(pool: NodePool, annotations: Readonly<Record<string, string>>): NodePool {
  return { ...pool, metadata: { ...pool.metadata, annotations } };
}

const big = (name: string) => makePod(name, { requests: { cpu: '3500m', memory: '1Gi' } });
const cheapest = ({ newNodes }: Plan) => newNodes.map(({ instanceTypes }) => instanceTypes[0]);
const price = (value: number) => Number(value.toFixed(9));

test('09/1 two spot nodes are bought instead of one on demand, and the decision shows both prices', () => {
  const small = makeType('S', {
    capacity: { cpu: '4', memory: '16Gi', pods: '20' },
    offerings: [makeOffering('zone-a', 'spot', 0.05)],
  });
  const large = makeType('B', {
    capacity: { cpu: '8', memory: '32Gi', pods: '20' },
    offerings: [makeOffering('zone-a', 'on-demand', 0.34)],
  });
  const { costAware } = environmentOf({ types: [small, large] });
  const plan = costAware.plan(
    makePod('a', { requests: { cpu: '3', memory: '1Gi' } }),
    makePod('b', { requests: { cpu: '3', memory: '1Gi' } }),
  );
  assert.deepEqual(cheapest(plan), ['S', 'S']);
  assert.equal(price(plan.pricePerHour), 0.1);
  assert.deepEqual(plan.packing, {
    taken: 'cost-aware',
    why: 'Cheaper',
    upstream: { nodes: 1, pricePerHour: 0.34, feesPerHour: 0 },
    costAware: { nodes: 2, pricePerHour: 0.1, feesPerHour: 0 },
  });
  assert.deepEqual(
    plan.newNodes.map(({ source }) => source),
    ['cost-aware', 'cost-aware'],
  );
});

test('09/2 on a linear price list the plan is upstream’s, whatever else could be had', () => {
  const types = [1, 2, 4, 8, 16, 32].map((cpus) => onDemand(`t-${cpus}`, cpus, cpus * 0.05));
  const { upstream, costAware } = environmentOf({ types });
  const pods = [
    big('a'),
    big('b'),
    makePod('c', { requests: { cpu: '9' } }),
    makePod('d', { requests: { cpu: '100m' } }),
  ];
  const plan = costAware.plan(...pods);
  assert.equal(plan.packing?.why, 'LinearPrices');
  assert.deepEqual(outlineOf(plan), outlineOf(upstream.plan(...pods)));
});

test('09/3 an alternative is taken if it saves five per cent, and not if it saves four', () => {
  const decide = (small: number) => {
    const { costAware } = environmentOf({ types: [onDemand('small', 4, small), onDemand('large', 8, 1)] });
    return costAware.plan(big('a'), big('b'));
  };
  const kept = decide(0.48);
  assert.deepEqual(cheapest(kept), ['large']);
  assert.deepEqual(
    [kept.packing?.why, kept.packing?.upstream.pricePerHour, kept.packing?.costAware?.pricePerHour],
    ['GainTooSmall', 1, 0.96],
  );
  assert.equal(kept.newNodes[0]?.source, 'upstream');
  const taken = decide(0.475);
  assert.deepEqual(cheapest(taken), ['small', 'small']);
  assert.equal(taken.packing?.taken, 'cost-aware');
});

test('09/4 in an alternative every rule and every preference that upstream’s plan satisfies holds', () => {
  const types = [onDemand('small', 4, 0.1), onDemand('large', 32, 2), onDemand('larger', 64, 5)];
  const own = (app: string) => ({ labelSelector: { matchLabels: { app } } });
  const replicas = (app: string, count: number, spec: Parameters<typeof makePod>[1]) =>
    Array.from({ length: count }, (_, i) =>
      makePod(`${app}-${i}`, { labels: { app }, requests: { cpu: '900m', memory: '1Gi' }, ...spec }),
    );
  const spread = (topologyKey: string, whenUnsatisfiable: string, app: string) => ({
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable, ...own(app) }],
  });
  const term = { topologyKey: HOSTNAME_LABEL, ...own('shy') };
  const preference = { matchExpressions: [{ key: ZONE_LABEL, operator: 'In', values: ['zone-b'] }] };
  const pods = [
    ...replicas('zonal', 9, spread(ZONE_LABEL, 'DoNotSchedule', 'zonal')),
    ...replicas('apart', 3, spread(HOSTNAME_LABEL, 'DoNotSchedule', 'apart')),
    ...replicas('alone', 3, {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: HOSTNAME_LABEL, ...own('alone') }],
        },
      },
    }),
    ...replicas('shy', 3, {
      affinity: {
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }] },
      },
    }),
    ...replicas('picky', 4, {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] } },
    }),
    ...replicas('plain', 20, {}),
  ];
  const { upstream, costAware } = environmentOf({ types, packing: { maxExtraNodes: Number.POSITIVE_INFINITY } });
  const before = upstream.plan(...pods);
  const after = costAware.plan(...pods);
  assert.equal(after.packing?.taken, 'cost-aware');
  assert.deepEqual(placedPods(after), placedPods(before));
  assert.deepEqual(checkPlan({ ...costAware.snapshot, pods }, after, costAware.options), []);
  const nodesOf = (app: string) =>
    after.newNodes.map((node) => ({
      node,
      count: node.pods.filter(({ pod }) => pod.metadata.labels?.['app'] === app).length,
    }));
  for (const app of ['apart', 'alone', 'shy']) {
    assert.deepEqual(
      [...new Set(nodesOf(app).map(({ count }) => count))].sort((a, b) => a - b),
      [0, 1],
      app,
    );
  }
  for (const { node, count } of nodesOf('picky')) {
    if (count > 0) assert.deepEqual(valuesOf(node, ZONE_LABEL), ['zone-b']);
  }
});

test('09/5 no pod moves to a lighter pool, however cheap', () => {
  const heavy = makePool('heavy', { weight: 10 });
  const light = makePool('light', { weight: 1 });
  const typesOf = { heavy: [onDemand('large', 8, 1)], light: [onDemand('small', 4, 0.01), onDemand('large', 8, 1)] };
  const { costAware } = environmentOf({ pools: [heavy, light], typesOf });
  const plan = costAware.plan(big('a'), big('b'));
  assert.deepEqual(
    plan.newNodes.map(({ nodePool }) => nodePool),
    ['heavy'],
  );
});

test('a pod may move to another pool of the same weight, or to a heavier one', () => {
  const [first, second] = [makePool('z-first'), makePool('a-second')]; // of equal pools the last by name is asked first
  const typesOf = {
    'z-first': [onDemand('large', 8, 1)],
    'a-second': [onDemand('small', 4, 0.01), onDemand('l', 8, 2)],
  };
  const { upstream, costAware } = environmentOf({ pools: [first, second], typesOf });
  assert.deepEqual(cheapest(upstream.plan(big('a'), big('b'))), ['large']);
  assert.deepEqual(cheapest(costAware.plan(big('a'), big('b'))), ['small', 'small']);
});

test('09/6 a pool that asks for upstream’s plan gets it, beside one that does not', () => {
  const types = [onDemand('small', 4, 0.2), onDemand('large', 8, 1)];
  const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' as const }];
  const strict = annotated(makePool('strict', { taints, labels: { team: 'a' } }), {
    'karpenter-ts.dev/packing-policy': 'Upstream',
  });
  const pods = [
    big('a'),
    big('b'),
    ...['c', 'd'].map((name) => ({
      ...big(name),
      spec: { ...big(name).spec, nodeSelector: { team: 'a' }, tolerations: [{ operator: 'Exists' }] },
    })),
  ];
  const { upstream, costAware } = environmentOf({ pools: [makePool('open'), strict], types });
  const plan = costAware.plan(...pods);
  const ofStrict = (one: Plan) => outlineOf(one).newNodes.filter(({ nodePool }) => nodePool === 'strict');
  assert.deepEqual(ofStrict(plan), ofStrict(upstream.plan(...pods)));
  assert.deepEqual(
    plan.newNodes.map(({ nodePool, source }) => `${nodePool} ${source}`),
    ['strict upstream', 'open cost-aware', 'open cost-aware'],
  );
});

test('09/6 without extensions every claim is upstream’s, whatever flags and annotations say', () => {
  const pool = annotated(makePool('default'), {
    'karpenter-ts.dev/packing-policy': 'CostAware',
    'karpenter-ts.dev/node-fee': '5/h',
  });
  const packing = packingOptions({
    extensions: new Set(),
    packingPolicy: 'CostAware',
    packingMinGain: 0.05,
    packingMaxExtraNodes: 1,
    nodeFee: 1,
  });
  const { upstream, costAware } = environmentOf({
    pools: [pool],
    types: [onDemand('small', 4, 0.2), onDemand('large', 8, 1)],
    packing,
  });
  const plan = costAware.plan(big('a'), big('b'));
  assert.deepEqual(outlineOf(plan), outlineOf(upstream.plan(big('a'), big('b'))));
  assert.equal(plan.newNodes[0]?.source, 'upstream');
  assert.deepEqual(plan.packing, {
    taken: 'upstream',
    why: 'Policy',
    upstream: { nodes: 1, pricePerHour: 1, feesPerHour: 0 },
    costAware: undefined,
  });
});

test('a pool can ask for cheaper nodes where the others do not', () => {
  const pool = annotated(makePool('default'), { 'karpenter-ts.dev/packing-policy': 'CostAware' });
  const types = [onDemand('small', 4, 0.2), onDemand('large', 8, 1)];
  const { costAware } = environmentOf({ pools: [pool], types, packing: { policy: 'Upstream' } });
  assert.deepEqual(cheapest(costAware.plan(big('a'), big('b'))), ['small', 'small']);
});

test('a fee for each node counts on both sides, by flag or by annotation, and not in the price', () => {
  const types = [onDemand('small', 4, 0.4), onDemand('large', 8, 1)];
  const two = [big('a'), big('b')];
  const withFee = environmentOf({ types, packing: { nodeFeePerHour: 0.2 } }).costAware.plan(...two);
  assert.deepEqual(cheapest(withFee), ['large']); // 1.2 against 1.2
  assert.deepEqual(withFee.packing, {
    taken: 'upstream',
    why: 'GainTooSmall',
    upstream: { nodes: 1, pricePerHour: 1, feesPerHour: 0.2 },
    costAware: { nodes: 1, pricePerHour: 1, feesPerHour: 0.2 },
  });
  const pool = annotated(makePool('default'), { 'karpenter-ts.dev/node-fee': '0.05/h' });
  const byPool = environmentOf({ pools: [pool], types, packing: { nodeFeePerHour: 0.2 } }).costAware.plan(...two);
  assert.deepEqual(cheapest(byPool), ['small', 'small']); // 0.9 against 1.05
  assert.equal(byPool.pricePerHour, 0.8);
  assert.deepEqual(byPool.packing?.costAware, { nodes: 2, pricePerHour: 0.8, feesPerHour: 0.1 });
});

test('no more nodes are bought than are allowed beside upstream’s', () => {
  const types = [onDemand('tiny', 1, 0.01), onDemand('small', 4, 0.2), onDemand('large', 64, 8)];
  const pods = Array.from({ length: 40 }, (_, i) => makePod(`p-${i}`, { requests: { cpu: '1', memory: '1Gi' } }));
  const count = (maxExtraNodes: number) =>
    environmentOf({ types, packing: { maxExtraNodes } }).costAware.plan(...pods).newNodes.length;
  assert.equal(count(0), 1);
  assert.equal(count(1), 1); // two cannot hold them for less
  assert.equal(count(Number.POSITIVE_INFINITY), 40);
});

test('the limits of a pool hold whichever type each of its nodes becomes', () => {
  const pool = makePool('default', { limits: { cpu: '20' } });
  const types = [onDemand('small', 4, 0.1), onDemand('medium', 8, 0.5), onDemand('large', 16, 2)];
  const { upstream, costAware } = environmentOf({ pools: [pool], types });
  const pods = ['a', 'b', 'c'].map(big);
  assert.deepEqual(cheapest(upstream.plan(...pods)), ['large']);
  const plan = costAware.plan(...pods);
  assert.deepEqual(cheapest(plan), ['medium', 'small']); // three small ones would be three nodes where one was
  assert.deepEqual(checkPlan({ ...costAware.snapshot, pods }, plan, costAware.options), []);
});

test('a pool that is at its limits keeps upstream’s nodes, and others are improved all the same', () => {
  const full = makePool('full', { limits: { nodes: '1' }, labels: { team: 'a' } });
  const types = [onDemand('small', 4, 0.2), onDemand('large', 8, 1)];
  const { costAware } = environmentOf({ pools: [makePool('open'), full], types });
  const bound = ['c', 'd'].map((name) => ({ ...big(name), spec: { ...big(name).spec, nodeSelector: { team: 'a' } } }));
  const plan = costAware.plan(big('a'), big('b'), ...bound);
  assert.deepEqual(plan.newNodes.map(({ nodePool, instanceTypes }) => `${nodePool} ${instanceTypes[0]}`).sort(), [
    'full large',
    'open small',
    'open small',
  ]);
});

test('nodes bought as spot are left as many types to choose from as they had, up to fifteen', () => {
  const spot = (name: string, cpus: number, hourly: number) =>
    makeType(name, {
      capacity: { cpu: String(cpus), memory: `${4 * cpus}Gi`, pods: '50' },
      offerings: [makeOffering('zone-a', 'spot', hourly)],
    });
  const rare = spot('rare', 16, 0.2);
  const common = Array.from({ length: 16 }, (_, i) => spot(`common-${i}`, 8, 0.3 + i / 1000));
  const large = Array.from({ length: 16 }, (_, i) => spot(`large-${i}`, 16, 0.8 + i / 1000));
  const pods = ['a', 'b', 'c', 'd'].map(big); // together 14 cpus: on one of 17 types, the rare one among them
  const { upstream, costAware } = environmentOf({ types: [rare, ...common, ...large] });
  assert.equal(upstream.plan(...pods).newNodes[0]?.instanceTypes.length, 17);
  const dear = environmentOf({ types: [...common, ...large.map((type) => spot(type.name, 16, 2))] }).costAware.plan(
    ...pods,
  );
  assert.deepEqual(
    dear.newNodes.map(({ instanceTypes }) => instanceTypes.length >= 15),
    [true, true],
  );
  assert.equal(costAware.plan(...pods).packing?.why, 'GainTooSmall');
});

test('placements on existing nodes are those of upstream’s plan', () => {
  const types = [onDemand('small', 4, 0.2), onDemand('large', 8, 1)];
  const node = makeNode('there', { allocatable: { cpu: '4', memory: '8Gi', pods: '10' } });
  const { upstream, costAware } = environmentOf({ types });
  const pods = ['a', 'b', 'c'].map(big);
  upstream.snapshot = { ...upstream.snapshot, nodes: [node] };
  costAware.snapshot = { ...costAware.snapshot, nodes: [node] };
  const plan = costAware.plan(...pods);
  assert.equal(plan.packing?.taken, 'cost-aware');
  assert.deepEqual(outlineOf(plan).existingNodes, outlineOf(upstream.plan(...pods)).existingNodes);
});

test('pods that must share a host still do', () => {
  const types = [onDemand('small', 4, 0.1), onDemand('medium', 8, 0.25), onDemand('large', 32, 4)];
  const { upstream, costAware } = environmentOf({ types, packing: { maxExtraNodes: Number.POSITIVE_INFINITY } });
  const term = { topologyKey: HOSTNAME_LABEL, labelSelector: { matchLabels: { app: 'pair' } } };
  const friends = ['x', 'y'].map((name) =>
    makePod(name, {
      labels: { app: 'pair' },
      requests: { cpu: '3', memory: '1Gi' },
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    }),
  );
  const pods = [...friends, ...['a', 'b', 'c', 'd'].map(big)];
  assert.deepEqual(cheapest(upstream.plan(...pods)), ['large']);
  const plan = costAware.plan(...pods);
  const together = plan.newNodes.find(({ pods: placed }) => placed.some(({ pod }) => pod.metadata.name === 'x'));
  assert.deepEqual(together?.pods.map(({ pod }) => pod.metadata.name).sort(), ['x', 'y']);
  assert.equal(price(plan.pricePerHour), 0.65);
});

test('with strict reservations nodes are of types of which nothing within reach is reserved', () => {
  const scarce = onDemand('scarce', 4, 0.1);
  const types = [
    { ...scarce, offerings: [...scarce.offerings, reserved('zone-a', 'r-1', 1)] },
    onDemand('free', 4, 0.2),
    onDemand('medium', 6, 0.3),
    onDemand('large', 8, 1),
  ];
  const planIn = (zone: string, packing: PackingOptions | undefined) => {
    const pods = ['5', '2500m'].map((cpu) => makePod(cpu, { requests: { cpu }, nodeSelector: { [ZONE_LABEL]: zone } }));
    return new Set(
      cheapest(new TestEnvironment({ types, options: { reservedCapacity: 'Strict', packing } }).plan(...pods)),
    );
  };
  assert.deepEqual(planIn('zone-a', undefined), new Set(['large']));
  assert.deepEqual(planIn('zone-a', DEFAULT_PACKING), new Set(['free', 'medium']));
  assert.deepEqual(planIn('zone-b', DEFAULT_PACKING), new Set(['medium', 'scarce']));
});

test('a search that is stopped leaves upstream’s plan', () => {
  const { upstream, costAware } = environmentOf({ types: [onDemand('small', 4, 0.2), onDemand('large', 8, 1)] });
  const pods = [big('a'), big('b')];
  const run = planSnapshot({ ...costAware.snapshot, pods }, costAware.options);
  let step = run.next();
  while (!step.done && step.value.phase !== 'improving') step = run.next();
  assert.equal(step.done, false);
  while (!step.done) step = run.next('stop');
  assert.equal(step.value.packing?.why, 'Stopped');
  assert.deepEqual(outlineOf(step.value), outlineOf(upstream.plan(...pods)));
});

test('pods that need on demand no longer make spot pods pay for it', () => {
  const both = (name: string, cpus: number, hourly: number) =>
    makeType(name, {
      capacity: { cpu: String(cpus), memory: `${4 * cpus}Gi`, pods: '50' },
      offerings: [makeOffering('zone-a', 'on-demand', hourly), makeOffering('zone-a', 'spot', hourly / 4)],
    });
  const types = [both('small', 4, 0.2), both('medium', 8, 0.42), both('large', 16, 0.85)];
  const steady = makePod('steady', {
    requests: { cpu: '3', memory: '1Gi' },
    nodeSelector: { [CAPACITY_TYPE_LABEL]: 'on-demand' },
  });
  const { upstream, costAware } = environmentOf({ types });
  const pods = [steady, ...['a', 'b', 'c'].map(big)];
  assert.equal(price(upstream.plan(...pods).pricePerHour), 0.85);
  const plan = costAware.plan(...pods);
  assert.equal(price(plan.pricePerHour), price(0.2 + 0.85 / 4));
  assert.deepEqual(plan.newNodes.map(({ capacityTypes }) => capacityTypes.join()).sort(), [
    'on-demand',
    'on-demand,spot',
  ]);
});
