import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyChange, type Change, findScope } from './overlay.ts';
import type { Plan } from './plan.ts';
import { planSnapshot, readBase } from './planner.ts';
import { finish, type PlanRun } from './progress.ts';
import type { PlanningOptions, Snapshot } from './snapshot.ts';
import { indexSnapshot } from './snapshot-index.ts';
import { makePool } from './testing/builders.ts';
import { checkPlan } from './testing/checker/check-plan.ts';
import { outlineOf, placedPods } from './testing/plan-outline.ts';
import { randomFleet } from './testing/random-fleet.ts';
import { type Random, seededRandom } from './testing/random.ts';

// Failures print the seed: `randomFleet(seed)` is the fleet. More runs: PLAN_RUNS=5000 npm test.
const RUNS = Number(process.env['PLAN_RUNS'] ?? 150);
const seeds = fc.noShrink(fc.integer({ min: 0, max: 2 ** 31 - 1 })); // a smaller seed is not a smaller fleet

function forAll(name: string, holds: (seed: number) => void): void {
  test(name, () => fc.assert(fc.property(seeds, holds), { numRuns: RUNS }));
}

function plan(snapshot: Snapshot, options: PlanningOptions): Plan {
  return finish(planSnapshot(snapshot, options));
}

forAll('every plan passes the checker', (seed) => {
  const { snapshot, options } = randomFleet(seed);
  assert.deepEqual(checkPlan(snapshot, plan(snapshot, options), options), []);
});

forAll('a plan does not depend on the order of pods, pools, types, nodes and daemons', (seed) => {
  const { snapshot, options } = randomFleet(seed);
  const shuffled = shuffleSnapshot(snapshot, seededRandom(seed + 1));
  assert.deepEqual(outlineOf(plan(shuffled, options)), outlineOf(plan(snapshot, options)));
});

forAll('another pool takes no place away from pods that ask nothing of each other', (seed) => {
  const { snapshot, options } = randomFleet(seed, { independent: true });
  const nodePool = makePool('another', { weight: 1 + (seed % 100) });
  const instanceTypes = snapshot.pools[0]!.instanceTypes;
  const before = placedPods(plan(snapshot, options));
  const after = placedPods(plan({ ...snapshot, pools: [...snapshot.pools, { nodePool, instanceTypes }] }, options));
  assert.deepEqual(
    [...before].filter((pod) => !after.has(pod)),
    [],
  );
});

forAll('a what-if says what a planner of the changed snapshot says', (seed) => {
  const { snapshot, options } = randomFleet(seed);
  const base = finish(readBase(snapshot, options));
  const index = finish(indexSnapshot(snapshot, options));
  const random = seededRandom(seed + 1);
  for (const change of [randomChange(snapshot, random), randomChange(snapshot, random)]) {
    const scratch = plan(applyChange(snapshot, change), options);
    assert.deepEqual(outlineOf(finish(base.whatIf(change))), outlineOf(scratch));
    const onlyMoves = change.withPods?.every(({ spec }) => spec.nodeName !== undefined);
    if (onlyMoves) assert.notEqual(findScope(index, change), undefined); // answered from the base, not from scratch
  }
  assert.deepEqual(outlineOf(finish(base.plan())), outlineOf(plan(snapshot, options))); // what-ifs leave no trace
});

forAll('a run that is interrupted by others of the same base ends as one that is not', (seed) => {
  const { snapshot, options } = randomFleet(seed);
  const base = finish(readBase(snapshot, options));
  const random = seededRandom(seed + 1);
  const change = randomChange(snapshot, random);
  const [interrupted, whatIf] = interleave([base.plan(), base.whatIf(change)], random);
  assert.deepEqual(outlineOf(interrupted!), outlineOf(plan(snapshot, options)));
  assert.deepEqual(outlineOf(whatIf!), outlineOf(plan(applyChange(snapshot, change), options)));
});

forAll('a run that is stopped ends with a sound plan and the rest undecided', (seed) => {
  const { snapshot, options } = randomFleet(seed);
  const run = planSnapshot(snapshot, options);
  let steps = seed % 40;
  let result = run.next();
  while (!result.done) result = run.next(steps-- > 0 ? undefined : 'stop');
  const broken = checkPlan(snapshot, result.value, options).map(({ rule }) => rule);
  assert.deepEqual(
    broken.filter((rule) => rule !== 'placeablePodsPlaced'),
    [],
  );
});

function shuffleSnapshot(snapshot: Snapshot, random: Random): Snapshot {
  const shuffle = <T>(items: readonly T[]): readonly T[] =>
    items
      .map((item) => ({ item, rank: random.below(1_000_000) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  return {
    ...snapshot,
    pools: shuffle(snapshot.pools).map((pool) => ({ ...pool, instanceTypes: shuffle(pool.instanceTypes) })),
    nodes: shuffle(snapshot.nodes).map((node) => ({ ...node, pods: shuffle(node.pods) })),
    leavingNodes: shuffle(snapshot.leavingNodes),
    pods: shuffle(snapshot.pods),
    daemonPods: shuffle(snapshot.daemonPods),
    namespaces: shuffle(snapshot.namespaces),
  };
}

/** A node or two fewer, whose pods move; sometimes more pods or another pool. */
function randomChange(snapshot: Snapshot, random: Random): Change {
  const gone = snapshot.nodes.length === 0 ? [] : random.some(snapshot.nodes, 0).slice(0, 2);
  const others = randomFleet(random.below(1_000_000), { apps: 2 }).snapshot;
  const moving = gone.flatMap(({ pods }) => pods).filter(() => random.chance(0.9));
  const nodePool = makePool(random.pick(['pool-0', 'pool-9']), { weight: 50 });
  return {
    withoutNodes: gone.map(({ name }) => name),
    withPods: [
      ...moving,
      ...(random.chance(0.3) ? others.pods.filter(({ spec }) => spec.volumes === undefined).map(rename) : []),
    ],
    ...(random.chance(0.3) && { withPools: [{ nodePool, instanceTypes: snapshot.pools[0]!.instanceTypes }] }),
  };
}

const rename = (pod: Snapshot['pods'][number]): Snapshot['pods'][number] => {
  const name = `new-${pod.metadata.name}`;
  return { ...pod, metadata: { ...pod.metadata, name, uid: name } };
};

/** Takes steps of the runs in random turns until all are done. */
function interleave(runs: readonly PlanRun[], random: Random): readonly Plan[] {
  const plans: Plan[] = [];
  const open = new Set(runs.keys());
  while (open.size > 0) {
    const turn = random.pick([...open]);
    const step = runs[turn]!.next();
    if (!step.done) continue;
    plans[turn] = step.value;
    open.delete(turn);
  }
  return plans;
}
