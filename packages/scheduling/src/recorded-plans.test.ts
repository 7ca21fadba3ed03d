// Plans of random fleets, written down: whoever plans the same snapshot gets the same plan by the same steps. A change that
// is meant to plan otherwise puts the list that the failure prints in the place of the old one.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { adviceOn, describeShortfall } from './explanation/advice.ts';
import { Explainer } from './explanation/explainer.ts';
import { podName } from './model/pods/pod-id.ts';
import type { Plan } from './plan.ts';
import { planSnapshot, readPlanningBase } from './planner.ts';
import { finish, type Progress } from './progress.ts';
import { CHEAPEST } from './testing/packing.ts';
import { outlineOf } from './testing/plan-outline.ts';
import { type RandomFleet, randomFleet } from './testing/random-fleet/fleet.ts';

const FLEETS = 60;
const FLEETS_A_LINE = 10;

/** One line for each ten fleets. */
function digests(describe: (fleet: RandomFleet) => unknown): readonly string[] {
  const texts = Array.from({ length: FLEETS }, (_, seed) => JSON.stringify(describe(randomFleet(seed))));
  return Array.from({ length: FLEETS / FLEETS_A_LINE }, (_, line) => {
    const some = texts.slice(line * FLEETS_A_LINE, (line + 1) * FLEETS_A_LINE);
    return createHash('sha256').update(some.join('\n')).digest('hex').slice(0, 12);
  });
}

function describePlan(run: Generator<Progress, Plan, undefined>) {
  const waiting: number[] = [];
  let step = run.next();
  for (; !step.done; step = run.next()) waiting.push(step.value.waiting);
  const { newNodes, packing } = step.value;
  return [waiting, outlineOf(step.value), newNodes.map(({ placeholder, source }) => [placeholder, source]), packing];
}

function describeReasons({ snapshot, options }: RandomFleet) {
  const explainer = new Explainer(snapshot, options);
  const { newNodes, unschedulable } = finish(planSnapshot(snapshot, options));
  return [
    unschedulable.map((one) => [podName(one.pod), ...explainer.explainPod(one).map(adviceOn)]),
    newNodes.map((node) => explainer.explainNode(node)).map(({ cheaper }) => cheaper.map(describeShortfall)),
    [...finish(finish(readPlanningBase(snapshot, options)).pendingByZone())],
  ];
}

test('random fleets are planned as they were when this was written', () => {
  assert.deepEqual(
    digests(({ snapshot, options }) => describePlan(planSnapshot(snapshot, options))),
    ['a38990fca576', '02e33387b93a', 'b0457820bdd1', 'ebbc162383f9', '579b9624eb01', '76312d1b2da1'],
  );
});

test('cheaper plans for them are found as they were, too', () => {
  assert.deepEqual(
    digests(({ snapshot, options }) => describePlan(planSnapshot(snapshot, { ...options, packing: CHEAPEST }))),
    ['3ef73009b082', '36adb781604b', '24b53b0899f7', '17338649584f', '32440aff269a', 'b0f4fb7b87ea'],
  );
});

test('the reasons given for them are what they were, too', () => {
  assert.deepEqual(digests(describeReasons), [
    '82f7b8478dc2',
    '02ee7c57a134',
    'a2f544f25067',
    '2921229e8221',
    '664a180f96d4',
    'd41219d21e85',
  ]);
});
