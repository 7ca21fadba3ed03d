// Types that a launch drops as long as others would do (spec 07 §12): what they cost is no price of a plan.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INSTANCE_TYPE_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import { launchChoices, type Plan } from '../plan.ts';
import type { InstanceType, PackingOptions } from '../snapshot.ts';
import { makeOffering, makePod, makePool, makeType } from '../testing/builders.ts';
import { checkPlan } from '../testing/checker/check-plan.ts';
import { CHEAPEST } from '../testing/packing.ts';
import { spreadOver } from '../testing/pod-parts.ts';
import { TestEnvironment } from '../testing/test-environment.ts';

const GPU = 'example.com/gpu';

/** A type that costs so much in these zones. */
function typeOf(name: string, cpus: number, price: number, { gpus = 0, zones = ['a'] } = {}): InstanceType {
  return makeType(name, {
    capacity: { cpu: String(cpus), memory: `${4 * cpus}Gi`, pods: '100', [GPU]: String(gpus) },
    offerings: zones.map((zone) => makeOffering(zone, 'on-demand', price)),
  });
}

const lastResort = (type: InstanceType): InstanceType => ({ ...type, lastResort: true });

const SMALL = typeOf('small', 4, 0.2);
const LARGE = typeOf('large', 16, 1.2);
/** Cheaper than `small` per core, and a little larger than `large`. */
const METAL = lastResort(typeOf('metal', 17, 0.5));
const ONE_GPU = lastResort(typeOf('one-gpu', 4, 0.6, { gpus: 1 }));
const FOUR_GPUS = lastResort(typeOf('four-gpus', 16, 1.6, { gpus: 4 }));
const TYPES = [SMALL, LARGE, METAL, ONE_GPU, FOUR_GPUS];

function pods(count: number, requests: Readonly<Record<string, string>>, name = 'p'): readonly Pod[] {
  return Array.from({ length: count }, (_, i) => makePod(`${name}-${i}`, { requests: { memory: '1Gi', ...requests } }));
}

interface Asked {
  readonly types?: readonly InstanceType[];
  readonly pools?: Parameters<typeof makePool>[1];
  readonly packing?: PackingOptions | undefined;
}

/** A plan that passes the checker. */
function planOf(waiting: readonly Pod[], { types = TYPES, pools = {}, packing = CHEAPEST }: Asked = {}): Plan {
  const environment = new TestEnvironment({ types, pools: [makePool('default', pools)], options: { packing } });
  const plan = environment.plan(...waiting);
  assert.deepEqual(plan.unschedulable, []);
  assert.deepEqual(checkPlan({ ...environment.snapshot, pods: waiting }, plan, environment.options), []);
  return plan;
}

const leading = ({ newNodes }: Plan) => newNodes.map(({ instanceTypes }) => instanceTypes[0]!).sort();
const dollars = ({ pricePerHour }: Plan) => Math.round(pricePerHour * 1000) / 1000;

for (const packing of [undefined, CHEAPEST]) {
  const policy = packing === undefined ? 'Upstream' : 'CostAware';

  test(`policy ${policy}: a node costs what a launch takes, and lists last resorts behind that`, () => {
    const plan = planOf(pods(1, { cpu: '15' }), { packing });
    assert.deepEqual(plan.newNodes[0]!.instanceTypes, ['large', 'metal', 'four-gpus']);
    assert.deepEqual(launchChoices(plan.newNodes[0]!), ['large']);
    assert.equal(dollars(plan), 1.2);
  });

  test(`policy ${policy}: a pod that needs a last resort gets it`, () => {
    assert.deepEqual(leading(planOf(pods(1, { cpu: '1', [GPU]: '1' }), { packing })), ['one-gpu']);
    assert.deepEqual(leading(planOf(pods(1, { cpu: '16500m' }), { packing })), ['metal']);
  });

  test(`policy ${policy}: a pool of nothing but last resorts works as any`, () => {
    const plan = planOf(pods(15, { cpu: '1' }), { types: [METAL, FOUR_GPUS], packing });
    assert.deepEqual(leading(plan), ['metal']);
    assert.equal(plan.newNodes[0]!.lastResorts, 0);
    assert.equal(dollars(plan), 0.5);
  });

  test(`policy ${policy}: minValues keep last resorts among the choices`, () => {
    const requirements = [{ key: INSTANCE_TYPE_LABEL, operator: 'Exists' as const, minValues: 2 }];
    const plan = planOf(pods(1, { cpu: '15' }), { pools: { requirements }, packing });
    assert.deepEqual(plan.newNodes[0]!.instanceTypes, ['metal', 'large', 'four-gpus']);
    assert.equal(plan.newNodes[0]!.lastResorts, 0);
    assert.equal(dollars(plan), 0.5);
  });
}

test('cheaper nodes are looked for at the prices of what a launch takes', () => {
  const plan = planOf(pods(15, { cpu: '1' }));
  assert.equal(plan.packing!.upstream.pricePerHour, 1.2);
  assert.deepEqual(leading(plan), ['small', 'small', 'small', 'small']);
  assert.equal(dollars(plan), 0.8);
});

test('pods join those that need a last resort, but do not make it be bought', () => {
  const plan = planOf([...pods(4, { cpu: '1', [GPU]: '1' }, 'gpu'), ...pods(24, { cpu: '1' })]);
  const kinds = plan.newNodes.map(({ pods: placed }) => placed.some(({ pod }) => pod.metadata.name.startsWith('gpu')));
  assert.ok(kinds.includes(true) && kinds.includes(false));
  for (const [i, { instanceTypes }] of plan.newNodes.entries()) {
    assert.equal(instanceTypes[0]!.endsWith('gpu') || instanceTypes[0] === 'four-gpus', kinds[i]);
  }
  assert.equal(dollars(plan), 1.6 + 3 * 0.2);
});

test('a class that may run on last resorts only shares them with others', () => {
  const bound = pods(8, { cpu: '1' }, 'bound').map((pod) => ({
    ...pod,
    spec: { ...pod.spec, nodeSelector: { [INSTANCE_TYPE_LABEL]: 'metal' } },
  }));
  const plan = planOf([...bound, ...pods(9, { cpu: '1' })]);
  assert.deepEqual(leading(plan), ['metal']);
  assert.equal(dollars(plan), 0.5);
});

test('of equal zones one with nothing but last resorts is chosen last', () => {
  const types = [
    typeOf('plain', 4, 1, { zones: ['b', 'c'] }),
    lastResort(typeOf('cheap', 4, 0.1, { zones: ['a', 'b'] })),
  ];
  const labels = { app: 'spread' };
  const spread = spreadOver(ZONE_LABEL, { labelSelector: { matchLabels: labels } });
  const zoneOf = (count: number) => {
    const waiting = pods(count, { cpu: '3' }).map(({ metadata, spec }) => ({
      metadata: { ...metadata, labels },
      spec: { ...spec, topologySpreadConstraints: [spread] },
    }));
    const { newNodes } = planOf(waiting, { types, packing: undefined });
    return newNodes.map(({ requirements }) => [...requirements.get(ZONE_LABEL)!.values].join()).sort();
  };
  assert.ok(['b', 'c'].includes(zoneOf(1)[0]!));
  assert.deepEqual(zoneOf(2), ['b', 'c']);
  assert.deepEqual(zoneOf(3), ['a', 'b', 'c']);
});
