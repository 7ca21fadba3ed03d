// The search is charged for every loop, so that no fleet makes it work for longer than its pods and types allow. Steps are
// counted and not time: a run pauses whenever it has made so many of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import type { InstanceType } from '../snapshot.ts';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { Plan } from '../plan.ts';
import { planSnapshot } from '../planner.ts';
import { makeOffering, makePod, makePool, makeType } from '../testing/builders.ts';
import { DEFAULT_PACKING } from '../testing/packing.ts';
import { onNodes, where } from '../testing/pod-parts.ts';
import { seededRandom } from '@karpenter-ts/kubernetes/testing';
import { TestEnvironment } from '../testing/test-environment.ts';
import { Effort, pauseAfter } from './effort.ts';

test('what a part spends is spent of the whole, and either may be used up', () => {
  const whole = new Effort(100);
  const part = whole.part(30);
  part.spend(30);
  assert.deepEqual([part.isUsedUp, whole.isUsedUp, whole.spent], [true, false, 30]);
  const other = whole.part(1000);
  other.spend(70);
  assert.deepEqual([other.isUsedUp, whole.isUsedUp], [true, true]);
});

test('a pause is due once for so many steps, whichever part spends them', () => {
  const whole = new Effort(1_000_000);
  const [a, b] = [whole.part(100_000), whole.part(100_000)];
  assert.equal(a.isPauseDue(), false);
  a.spend(15_000);
  b.spend(15_000);
  assert.deepEqual([a.isPauseDue(), b.isPauseDue()], [true, false]);
});

/** A label that the profile of these tests knows. */
const FAMILY = 'special';
const FAMILIES = 30;

/** Types of many families, sizes and shapes whose prices are not linear. */
function manyTypes(count: number): readonly InstanceType[] {
  const random = seededRandom(count);
  return Array.from({ length: count }, (_, i) => {
    const cpus = 2 ** (1 + (i % 6));
    const price = 0.02 * cpus ** 1.1 * (1 + random.below(1000) / 2000);
    return makeType(`t-${i}`, {
      capacity: { cpu: String(cpus), memory: `${cpus * random.pick([2, 4, 8])}Gi`, pods: String(20 + 4 * cpus) },
      labels: { [FAMILY]: [`f${i % FAMILIES}`] },
      offerings: ['zone-a', 'zone-b'].flatMap((zone) => [
        makeOffering(zone, 'on-demand', 2 * price),
        makeOffering(zone, 'spot', price),
      ]),
    });
  });
}

const requests = { cpu: '500m', memory: '512Mi' };

/** Each with another list of families it does not want. */
function choosyPods(count: number): readonly Pod[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, (_, i) => {
    const unwanted = Array.from({ length: 8 }, () => `f${random.below(FAMILIES - 3)}`);
    return makePod(`p-${i}`, { requests, affinity: onNodes([where(FAMILY, 'NotIn', ...unwanted)]) });
  });
}

/** Each with a rule about all that have another label than its own. */
function tenants(count: number, spec: (selector: object) => object): readonly Pod[] {
  return Array.from({ length: 4 * count }, (_, i) => {
    const tenant = `t${i % count}`;
    const labelSelector = {
      matchExpressions: [
        { key: 'tenant', operator: 'Exists' },
        { key: 'tenant', operator: 'NotIn', values: [tenant] },
      ],
    };
    return makePod(`p-${i}`, {
      labels: { tenant },
      requests: { cpu: '100m', memory: '64Mi' },
      ...spec({ topologyKey: HOSTNAME_LABEL, labelSelector }),
    });
  });
}

const avoiding = (term: object) => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
});
const spread = (rule: object) => ({
  topologySpreadConstraints: [{ ...rule, maxSkew: 20, whenUnsatisfiable: 'DoNotSchedule' }],
});

/** How often the search for a cheaper plan pauses, and what comes of it. */
function search(environment: TestEnvironment, pods: readonly Pod[]): { readonly pauses: number; readonly plan: Plan } {
  const run = planSnapshot({ ...environment.snapshot, pods }, environment.options);
  let pauses = 0;
  for (;;) {
    const step = run.next();
    if (step.done) return { pauses, plan: step.value };
    if (step.value.phase === 'improving') pauses++;
  }
}

const pool = (name: string) => makePool(name);
const families = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    makePod(`p-${i}`, {
      requests: { cpu: `${250 + 50 * (i % 9)}m`, memory: '256Mi' },
      nodeSelector: { [FAMILY]: `f${i % FAMILIES}` },
    }),
  );

const FLEETS = [
  { name: 'pods with different lists of types', types: 600, pools: 1, pods: choosyPods(300) },
  { name: 'the same in ten pools', types: 600, pools: 10, pods: choosyPods(100) },
  { name: 'a hundred pools', types: 600, pools: 100, pods: families(400) },
  { name: 'tenants that avoid each other', types: 100, pools: 1, pods: tenants(150, avoiding) },
  { name: 'tenants that spread away from all others', types: 100, pools: 1, pods: tenants(150, spread) },
];

for (const { name, types, pools, pods } of FLEETS) {
  test(`a search does no more steps than pods and types allow: ${name}`, (t) => {
    const environment = new TestEnvironment({
      types: manyTypes(types),
      pools: Array.from({ length: pools }, (_, i) => pool(`pool-${i}`)),
      options: { packing: DEFAULT_PACKING },
    });
    const { pauses, plan } = search(environment, pods);
    const steps = 3 * (150_000 + 1_800 * pods.length) + 200 * types;
    const nodes = plan.packing!.upstream.nodes + (plan.packing!.costAware?.nodes ?? 0);
    t.diagnostic(`${pauses} pauses, ${plan.packing?.why}`);
    assert.equal(plan.unschedulable.length, 0);
    assert.ok(pauses <= (2 * steps) / 20_000 + nodes, `${pauses} pauses`); // it may end what it has begun
    assert.ok(plan.pricePerHour <= plan.packing!.upstream.pricePerHour);
  });
}

test('a stage that has looked at hundreds of pod groups is followed by a pause, a short one is not', () => {
  assert.deepEqual([[...pauseAfter(2000)].length, [...pauseAfter(20)].length], [1, 0]);
});

test('pods that can run on different types share nodes of the types they have in common', () => {
  const types = manyTypes(120);
  const random = seededRandom(3);
  const unwanted = Array.from({ length: 10 }, () => [random.below(20), random.below(20)].map((f) => `f${f}`));
  const podsWith = (listOf: (i: number) => readonly string[]) =>
    Array.from({ length: 150 }, (_, i) =>
      makePod(`p-${i}`, { requests, affinity: onNodes([where(FAMILY, 'NotIn', ...listOf(i))]) }),
    );
  const planOf = (pods: readonly Pod[]) =>
    search(new TestEnvironment({ types, options: { packing: DEFAULT_PACKING } }), pods).plan;
  const plan = planOf(podsWith((i) => unwanted[i % 10]!));
  const common = planOf(podsWith(() => unwanted.flat()));
  assert.equal(plan.packing?.taken, 'cost-aware');
  assert.ok(plan.pricePerHour <= common.pricePerHour * 1.02, `${plan.pricePerHour} for ${common.pricePerHour}`);
});
