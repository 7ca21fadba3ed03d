// What must hold of any plan, tried on random fleets. A failure prints its seed: `randomFleet(seed)` is the fleet. More
// runs: KARPENTER_PLAN_RUNS=5000 npm test; others: KARPENTER_SEED=N.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyChange, type Change, findScope } from './what-if.ts';
import { podId } from './model/pods/pod-id.ts';
import type { Plan } from './plan.ts';
import { planSnapshot, readPlanningBase } from './planner.ts';
import { finish, type PlanRun } from './progress.ts';
import type { PlanningOptions, Snapshot } from './snapshot.ts';
import { indexSnapshot } from './packing/indexed-snapshot.ts';
import { checkPlan } from './testing/checker/check-plan.ts';
import { placementsOf, stopAfter } from './testing/placement-order.ts';
import { outlineOf, placedPods } from './testing/plan-outline.ts';
import { randomChange } from './testing/random-fleet/change.ts';
import { COUNTERFACTUALS } from './testing/random-fleet/counterfactuals.ts';
import { type RandomFleet, randomFleet } from './testing/random-fleet/fleet.ts';
import { anotherPool } from './testing/random-fleet/node-pool.ts';
import { seededRandom } from '@karpenter-ts/kubernetes/testing';
import { shuffleSnapshot } from './testing/random-fleet/shuffle.ts';

const RUNS = Number(process.env['KARPENTER_PLAN_RUNS'] ?? 100);
const SEED = Number(process.env['KARPENTER_SEED'] ?? 20261116);
const seeds = fc.noShrink(fc.integer({ min: 0, max: 2 ** 31 - 1 })); // a smaller seed is not a smaller fleet

function forAll(name: string, holds: (seed: number) => void): void {
  test(name, (t) => {
    t.diagnostic(`${RUNS} fleets of KARPENTER_SEED=${SEED}`);
    fc.assert(fc.property(seeds, holds), { numRuns: RUNS, seed: SEED });
  });
}

function plan(snapshot: Snapshot, options: PlanningOptions): Plan {
  return finish(planSnapshot(snapshot, options));
}

forAll('every plan passes the checker', (seed) => {
  const { snapshot, options } = randomFleet(seed, { lastResorts: seed % 2 === 1 });
  assert.deepEqual(checkPlan(snapshot, plan(snapshot, options), options), []);
});

forAll('a plan does not depend on the order in which a snapshot lists things', (seed) => {
  const { snapshot, options } = randomFleet(seed, { lastResorts: seed % 2 === 1 });
  const shuffled = shuffleSnapshot(snapshot, seededRandom(seed + 1));
  assert.deepEqual(outlineOf(plan(shuffled, options)), outlineOf(plan(snapshot, options)));
});

forAll('another pool takes no place away from pods that ask nothing of each other', (seed) => {
  const { snapshot, options } = randomFleet(seed, { independent: true, lastResorts: seed % 2 === 1 });
  const nodePool = anotherPool('another', seededRandom(seed + 1));
  const { instanceTypes } = snapshot.pools[0]!;
  const before = placedPods(plan(snapshot, options));
  const after = placedPods(plan({ ...snapshot, pools: [...snapshot.pools, { nodePool, instanceTypes }] }, options));
  assert.deepEqual(before.difference(after), new Set());
});

forAll('a what-if says what a planner of the changed snapshot says, and soundly', (seed) => {
  const { snapshot, options } = randomFleet(seed, { lastResorts: seed % 2 === 1 });
  const base = finish(readPlanningBase(snapshot, options));
  const index = finish(indexSnapshot(snapshot, options));
  const random = seededRandom(seed + 1);
  for (const change of [randomChange(snapshot, random), randomChange(snapshot, random)]) {
    const changed = applyChange(snapshot, change);
    const answer = finish(base.whatIf(change));
    assert.deepEqual(outlineOf(answer), outlineOf(plan(changed, options)));
    assert.deepEqual(checkPlan(changed, answer, options), []);
    if (onlyMoves(change)) assert.notEqual(findScope(index, change), undefined); // from the base, not from scratch
  }
  assert.deepEqual(outlineOf(finish(base.plan())), outlineOf(plan(snapshot, options))); // what-ifs leave no trace
});

function onlyMoves({ withPods = [] }: Change): boolean {
  return withPods.every(({ spec }) => spec.nodeName !== undefined);
}

forAll('a run that is interrupted by others of the same base ends as one that is not', (seed) => {
  const { snapshot, options } = randomFleet(seed, { lastResorts: seed % 2 === 1 });
  const base = finish(readPlanningBase(snapshot, options));
  const random = seededRandom(seed + 1);
  const change = randomChange(snapshot, random);
  const [interrupted, whatIf] = takeTurns([base.plan(), base.whatIf(change)], () => random.below(2) === 0);
  assert.deepEqual(outlineOf(interrupted!), outlineOf(plan(snapshot, options)));
  assert.deepEqual(outlineOf(whatIf!), outlineOf(plan(applyChange(snapshot, change), options)));
});

/** Takes steps of the runs in random turns until all are done. */
function takeTurns(runs: readonly PlanRun[], isTurn: () => boolean): readonly Plan[] {
  const plans: Plan[] = [];
  const open = new Set(runs.keys());
  while (open.size > 0) {
    for (const turn of [...open].filter(isTurn)) {
      const step = runs[turn]!.next();
      if (!step.done) continue;
      plans[turn] = step.value;
      open.delete(turn);
    }
  }
  return plans;
}

forAll('a run that is stopped has placed pods where it would have, soundly, and leaves the rest undecided', (seed) => {
  const { snapshot, options } = randomFleet(seed, { lastResorts: seed % 2 === 1 });
  const { plan: stopped } = stopAfter(seed % 40, planSnapshot(snapshot, options));
  const whole = new Map(placementsOf(plan(snapshot, options)).map(({ pod, node }) => [podId(pod), node]));
  for (const { pod, node } of placementsOf(stopped)) assert.equal(node, whole.get(podId(pod)) ?? node);
  const broken = checkPlan(snapshot, stopped, options).map(({ rule }) => rule);
  assert.deepEqual(
    broken.filter((rule) => rule !== 'placeablePodsPlaced'),
    [],
  );
});

test('random fleets make every rule matter: without it their plans are others', (t) => {
  const ENOUGH = 3;
  const tally = new Map(Object.keys(COUNTERFACTUALS).map((rule) => [rule, 0]));
  let fleets = 0;
  for (; fleets < 1500 && [...tally.values()].some((times) => times < ENOUGH); fleets++) {
    const fleet = randomFleet(fleets);
    const outline = textOf(fleet);
    for (const [rule, times] of tally) {
      if (times === ENOUGH || textOf(COUNTERFACTUALS[rule]!(fleet)) === outline) continue;
      tally.set(rule, times + 1);
      if (times + 1 === ENOUGH) t.diagnostic(`${rule}: ${ENOUGH} times in ${fleets + 1} fleets`);
    }
  }
  assert.deepEqual(
    [...tally].filter(([, times]) => times < ENOUGH),
    [],
  );
});

function textOf({ snapshot, options }: RandomFleet): string {
  return JSON.stringify(outlineOf(plan(snapshot, options)));
}
