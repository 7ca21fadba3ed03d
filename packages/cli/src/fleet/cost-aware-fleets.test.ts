// The seven fleets that upstream 1.14.1 planned too, with the controller's defaults.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish, type Plan, planSnapshot, type Snapshot } from '@karpenter-ts/scheduling';
import { checkPlan, DEFAULT_PACKING, placedPods } from '@karpenter-ts/scheduling/testing';
import { loadFleet, loadUpstreamPlan, RECORDED_FLEETS } from './testing/recorded-fleets.ts';

for (const name of RECORDED_FLEETS) {
  test(`fleet ${name} costs no more than upstream’s plan of it, and the plan is sound`, (t) => {
    const { snapshot, options } = loadFleet(name);
    const theirs = loadUpstreamPlan(name);
    const before = finish(planSnapshot(snapshot, options));
    const after = finish(planSnapshot(snapshot, { ...options, packing: DEFAULT_PACKING }));
    t.diagnostic(`$${after.pricePerHour.toFixed(3)}/h, upstream $${theirs.pricePerHour.toFixed(3)}/h`);
    assert.ok(after.pricePerHour <= before.pricePerHour);
    assert.ok(after.pricePerHour <= theirs.pricePerHour * 1.01);
    assert.ok(after.newNodes.length <= 2 * before.newNodes.length);
    assert.deepEqual(placedPods(after), placedPods(before));
    if (snapshot.pods.length <= 500) assert.deepEqual(checkPlan(snapshot, after, options), []); // a minute for 2,000
  });
}

// The limits are enough for upstream's plan as it is without them, so both searches have the same task; and they are less
// than the nodes of the cheaper plan may have when nothing limits them, so they have to be divided among these nodes.
for (const { name, cpu } of [
  { name: 'plain-2000-103', cpu: 4000 },
  { name: 'mixed-500-202', cpu: 2000 },
]) {
  test(`fleet ${name} is as cheap where pools may not have much more than it needs`, (t) => {
    const { snapshot, options } = loadFleet(name);
    const limited = withLimit(snapshot, cpu);
    const upstream = finish(planSnapshot(limited, options));
    const free = finish(planSnapshot(snapshot, { ...options, packing: DEFAULT_PACKING }));
    const plan = finish(planSnapshot(limited, { ...options, packing: DEFAULT_PACKING }));
    t.diagnostic(`$${plan.pricePerHour.toFixed(3)}/h, without limits $${free.pricePerHour.toFixed(3)}/h`);
    assert.deepEqual(podsByNode(upstream), podsByNode(finish(planSnapshot(snapshot, options))));
    assert.ok(mostCpu(snapshot, free, 'default') > cpu && mostCpu(snapshot, plan, 'default') <= cpu);
    assert.ok(plan.pricePerHour <= free.pricePerHour * 1.001);
    assert.deepEqual(placedPods(plan), placedPods(upstream));
    if (snapshot.pods.length <= 500) assert.deepEqual(checkPlan(limited, plan, options), []);
  });
}

test('where a limit changes upstream’s plan, the cheaper plan keeps the limit and places the same pods', () => {
  const { snapshot, options } = loadFleet('mixed-500-202');
  const limited = withLimit(snapshot, 1258);
  const upstream = finish(planSnapshot(limited, options));
  const plan = finish(planSnapshot(limited, { ...options, packing: DEFAULT_PACKING }));
  assert.notDeepEqual(podsByNode(upstream), podsByNode(finish(planSnapshot(snapshot, options))));
  assert.ok(mostCpu(snapshot, plan, 'default') <= 1258);
  assert.ok(plan.pricePerHour <= upstream.pricePerHour * 0.7);
  assert.deepEqual(placedPods(plan), placedPods(upstream));
  assert.deepEqual(checkPlan(limited, plan, options), []);
});

function withLimit(snapshot: Snapshot, cpu: number): Snapshot {
  const pools = snapshot.pools.map(({ nodePool, ...pool }) => {
    return { ...pool, nodePool: { ...nodePool, spec: { ...nodePool.spec, limits: { cpu: String(cpu) } } } };
  });
  return { ...snapshot, pools };
}

function podsByNode({ newNodes }: Plan) {
  return newNodes.map(({ pods }) => pods.map(({ pod }) => pod.metadata.name));
}

/** How much CPU the nodes of a pool have if each is of the largest type that it may be. */
function mostCpu({ pools }: Snapshot, { newNodes }: Plan, pool: string): number {
  const cpuOf = new Map(pools.flatMap(({ instanceTypes }) => instanceTypes.map((it) => [it.name, it.capacity['cpu']])));
  const nodes = newNodes.filter(({ nodePool }) => nodePool === pool);
  const most = nodes.map(({ instanceTypes }) => Math.max(...instanceTypes.map((name) => Number(cpuOf.get(name)))));
  return most.reduce((sum, cpu) => sum + cpu, 0);
}
