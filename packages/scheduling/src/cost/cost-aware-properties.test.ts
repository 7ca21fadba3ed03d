// What must hold of any cost-aware plan, tried on random fleets. A failure prints its seed: `randomFleet(seed)` is the
// fleet. More runs: KARPENTER_PLAN_RUNS=5000 npm test; others: KARPENTER_SEED=N.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { podId } from '../model/pods/pod-id.ts';
import type { Plan } from '../plan.ts';
import { planSnapshot, readPlanningBase } from '../planner.ts';
import { finish } from '../progress.ts';
import type { PackingOptions, PlanningOptions, Snapshot } from '../snapshot.ts';
import { checkPlan } from '../testing/checker/check-plan.ts';
import { outlineOf, placedPods } from '../testing/plan-outline.ts';
import { randomChange } from '../testing/random-fleet/change.ts';
import { type RandomFleet, randomFleet } from '../testing/random-fleet/fleet.ts';
import { shuffleSnapshot } from '../testing/random-fleet/shuffle.ts';
import { type Random, seededRandom } from '@karpenter-ts/kubernetes/testing';
import { satisfiedPreferences } from '../testing/satisfied-preferences.ts';

const RUNS = Number(process.env['KARPENTER_PLAN_RUNS'] ?? 60);
const SEED = Number(process.env['KARPENTER_SEED'] ?? 20261116);
const seeds = fc.noShrink(fc.integer({ min: 0, max: 2 ** 31 - 1 })); // a smaller seed is not a smaller fleet

/** Two plans of the same fleet. */
interface Pair extends RandomFleet {
  readonly packing: PackingOptions;
  readonly upstream: Plan;
  readonly costAware: Plan;
}

/** Fails too if hardly any of the fleets had a cheaper plan: then nothing was shown. */
function forAll(name: string, holds: (pair: Pair, seed: number) => void): void {
  test(name, (t) => {
    let cheaper = 0;
    const check = (seed: number): void => {
      const pair = planBoth(seed);
      if (pair.costAware.packing?.taken === 'cost-aware') cheaper++;
      holds(pair, seed);
    };
    fc.assert(fc.property(seeds, check), { numRuns: RUNS, seed: SEED });
    t.diagnostic(`${RUNS} fleets of KARPENTER_SEED=${SEED}, ${cheaper} of them cheaper`);
    assert.ok(cheaper > RUNS / 30, `only ${cheaper} of ${RUNS} fleets had a cheaper plan`);
  });
}

function planBoth(seed: number): Pair {
  const { snapshot, options } = randomFleet(seed, { lastResorts: seed % 2 === 1 });
  const packing = randomPacking(seededRandom(seed + 7));
  return {
    snapshot,
    options: { ...options, packing },
    packing,
    upstream: plan(snapshot, options),
    costAware: plan(snapshot, { ...options, packing }),
  };
}

function randomPacking(random: Random): PackingOptions {
  return {
    policy: 'CostAware',
    nodeFeePerHour: random.pick([0, 0, 0.05]),
    minGain: random.pick([0, 0.05]),
    maxExtraNodes: random.pick([0, 0.5, 1, Number.POSITIVE_INFINITY]),
    policyByPool: true,
    feeByPool: true,
  };
}

function plan(snapshot: Snapshot, options: PlanningOptions): Plan {
  return finish(planSnapshot(snapshot, options));
}

forAll('the same pods are placed, those on existing nodes in the same places', ({ upstream, costAware }) => {
  assert.deepEqual(placedPods(costAware), placedPods(upstream));
  const [ours, theirs] = [outlineOf(costAware), outlineOf(upstream)];
  assert.deepEqual(ours.existingNodes, theirs.existingNodes);
  assert.deepEqual(ours.unschedulable, theirs.unschedulable);
  if (costAware.packing?.taken === 'upstream') assert.deepEqual(ours, theirs);
});

forAll('a plan is never dearer, nor has it more nodes than are allowed', ({ upstream, costAware, packing }) => {
  const cost = ({ pricePerHour, newNodes }: Plan) => pricePerHour + packing.nodeFeePerHour * newNodes.length;
  const isTaken = costAware.packing?.taken === 'cost-aware';
  assert.ok(cost(costAware) <= cost(upstream) * (isTaken ? 1 - packing.minGain : 1) + 1e-9);
  const { length: count } = upstream.newNodes;
  assert.ok(count === 0 || costAware.newNodes.length <= count + Math.ceil(count * packing.maxExtraNodes));
});

forAll('every plan passes the checker', ({ snapshot, options, costAware }) => {
  assert.deepEqual(checkPlan(snapshot, costAware, options), []);
});

forAll('no preference that upstream’s plan satisfies is broken', ({ snapshot, options, upstream, costAware }) => {
  if (options.preferencePolicy === 'Ignore') return;
  const broken = satisfiedPreferences(snapshot, upstream, options).difference(
    satisfiedPreferences(snapshot, costAware, options),
  );
  assert.deepEqual(broken, new Set());
});

forAll('no pod is in a lighter pool than upstream has it', ({ snapshot, upstream, costAware }) => {
  const weights = new Map(snapshot.pools.map(({ nodePool: { metadata, spec } }) => [metadata.name, spec.weight ?? 0]));
  const weightsByPod = ({ newNodes }: Plan) =>
    new Map(newNodes.flatMap(({ nodePool, pods }) => pods.map(({ pod }) => [podId(pod), weights.get(nodePool)!])));
  const before = weightsByPod(upstream);
  for (const [pod, weight] of weightsByPod(costAware)) assert.ok(weight >= before.get(pod)!, pod);
});

forAll('a node bought as spot has as many types to choose from as its pods had, up to fifteen', (pair) => {
  const had = new Map(
    pair.upstream.newNodes.flatMap(({ pods, instanceTypes, lastResorts }) =>
      pods.map(({ pod }) => [podId(pod), instanceTypes.length - lastResorts]),
    ),
  );
  for (const { capacityTypes, instanceTypes, lastResorts, pods } of pair.costAware.newNodes) {
    if (!capacityTypes.includes('spot')) continue;
    assert.ok(
      instanceTypes.length - lastResorts >= Math.min(15, Math.max(...pods.map(({ pod }) => had.get(podId(pod))!))),
    );
  }
});

forAll('a plan is the same again, and whatever order a snapshot lists things in', (pair, seed) => {
  const { snapshot, options, costAware } = pair;
  const expected = { ...outlineOf(costAware), packing: costAware.packing };
  for (const other of [snapshot, shuffleSnapshot(snapshot, seededRandom(seed + 1))]) {
    const again = plan(other, options);
    assert.deepEqual({ ...outlineOf(again), packing: again.packing }, expected);
  }
});

forAll('what-ifs are answered with upstream’s plan, even in the middle of a search', (pair, seed) => {
  const { snapshot, options, costAware } = pair;
  const base = finish(readPlanningBase(snapshot, options));
  const change = randomChange(snapshot, seededRandom(seed + 1));
  const run = base.plan();
  let step = run.next();
  while (!step.done && step.value.phase !== 'improving') step = run.next();
  const asUpstream = finish(readPlanningBase(snapshot, { ...options, packing: undefined }));
  assert.deepEqual(outlineOf(finish(base.whatIf(change))), outlineOf(finish(asUpstream.whatIf(change))));
  while (!step.done) step = run.next();
  assert.deepEqual(outlineOf(step.value), outlineOf(costAware));
});
