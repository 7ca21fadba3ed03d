// Plans of nasty fleets, laid before a scheduler that was written from Kubernetes' rules alone. A failure names its seed:
// `nastyFleet(seed)` is the fleet. Thousands: KARPENTER_FUZZ_FLEETS=5000 npm test; others: KARPENTER_FUZZ_SEED=100000.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podId } from './model/pods/pod-id.ts';
import type { Plan } from './plan.ts';
import { planSnapshot } from './planner.ts';
import { finish } from './progress.ts';
import type { PackingOptions, PlanningOptions, Snapshot } from './snapshot.ts';
import { carryOut } from './testing/fuzz/bind-plan.ts';
import { providersFor } from './testing/fuzz/launched-node.ts';
import { nastyFleet } from './testing/fuzz/nasty-fleet.ts';
import { refusedForNothing } from './testing/fuzz/refused-pods.ts';
import { outlineOf, placedPods } from './testing/plan-outline.ts';
import { placementsInOrder, placementsOf } from './testing/placement-order.ts';
import { shuffleSnapshot } from './testing/random-fleet/shuffle.ts';
import { seededRandom } from '@karpenter-ts/kubernetes/testing';

const FLEETS = Number(process.env['KARPENTER_FUZZ_FLEETS'] ?? 200);
const FIRST = Number(process.env['KARPENTER_FUZZ_SEED'] ?? 1);
/** Every gain counts, so that as many plans as possible are cost-aware. */
const COST_AWARE: PackingOptions = {
  policy: 'CostAware',
  nodeFeePerHour: 0,
  minGain: 0,
  maxExtraNodes: 1,
  policyByPool: true,
  feeByPool: true,
};

function plan(snapshot: Snapshot, options: PlanningOptions): Plan {
  return finish(planSnapshot(snapshot, options));
}

/** Runs a check over all fleets and reports every fleet that fails, not only the first. */
function forAllFleets(name: string, problemsOf: (seed: number) => readonly string[]): void {
  test(name, (t) => {
    const failures: string[] = [];
    for (let seed = FIRST; seed < FIRST + FLEETS; seed++) {
      const problems = problemsOf(seed);
      if (problems.length > 0) failures.push(`nastyFleet(${seed}): ${problems.join('; ')}`);
    }
    t.diagnostic(`${FLEETS} fleets from seed ${FIRST}`);
    assert.equal(failures.length, 0, `${failures.length} fleets fail:\n${failures.slice(0, 20).join('\n')}`);
  });
}

/** Whatever types are delivered, every pod that is placed runs in the end. */
function unboundPods(seed: number, packing: PackingOptions | undefined): readonly string[] {
  const { snapshot, options } = nastyFleet(seed);
  const random = seededRandom(seed);
  const decide = (current: Snapshot) => {
    const turns = new Map(placementsInOrder(current, options).map(({ pod }, turn) => [podId(pod), turn]));
    const made = plan(current, { ...options, packing });
    const placements = placementsOf(made).toSorted((a, b) => turns.get(podId(a.pod))! - turns.get(podId(b.pod))!);
    return { newNodes: made.newNodes, placements };
  };
  for (const choose of providersFor(random)) {
    const problems = carryOut(snapshot, decide, choose, random);
    if (problems.length > 0) return problems;
  }
  return [];
}

forAllFleets("a scheduler of its own binds every pod that plans of upstream's policy place", (seed) =>
  unboundPods(seed, undefined),
);

forAllFleets('a scheduler of its own binds every pod that cost-aware plans place', (seed) =>
  unboundPods(seed, COST_AWARE),
);

forAllFleets('no pod is refused that asks nothing of other pods and that some new node could run', (seed) => {
  const { snapshot, options } = nastyFleet(seed);
  return refusedForNothing(snapshot, plan(snapshot, options));
});

forAllFleets('the order in which things are listed changes nothing, and cost-aware plans cost no more', (seed) => {
  const { snapshot, options } = nastyFleet(seed);
  const upstream = plan(snapshot, options);
  const costAware = plan(snapshot, { ...options, packing: COST_AWARE });
  const shuffled = plan(shuffleSnapshot(snapshot, seededRandom(seed)), { ...options, packing: COST_AWARE });
  const isSame = JSON.stringify(outlineOf(shuffled)) === JSON.stringify(outlineOf(costAware));
  return [
    ...(isSame ? [] : ['another order gives another plan']),
    ...(costAware.pricePerHour > upstream.pricePerHour + 1e-9 ? ['cost-aware is dearer'] : []),
    ...(placedPods(costAware).symmetricDifference(placedPods(upstream)).size === 0
      ? []
      : ['cost-aware places other pods']),
  ];
});
