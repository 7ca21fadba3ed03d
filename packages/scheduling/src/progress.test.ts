import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSnapshot, readPlanningBase } from './planner.ts';
import { finish, type Progress } from './progress.ts';
import { makeNode, makeOffering, makePod, makeType } from './testing/builders.ts';
import { fakeType, ladder } from './testing/fake-types.ts';
import { CHEAPEST } from './testing/packing.ts';
import { TestEnvironment } from './testing/test-environment.ts';

function stepsOf(run: Generator<Progress, unknown, undefined>): readonly Progress[] {
  const steps: Progress[] = [];
  for (let step = run.next(); !step.done; step = run.next()) steps.push(step.value);
  return steps;
}

test('reading nodes gives way every sixteen of them', () => {
  const countFor = (nodes: number) => {
    const names = Array.from({ length: nodes }, (_, i) => `n-${String(i).padStart(3, '0')}`);
    const { snapshot, options } = new TestEnvironment({ nodes: names.map((name) => makeNode(name)) });
    return stepsOf(readPlanningBase(snapshot, options)).length;
  };
  assert.equal(countFor(320) - countFor(160), 10);
});

test('reading gives way every 256 pods and 64 types, and says how many pods are left', () => {
  const pods = (count: number) => Array.from({ length: count }, (_, i) => makePod(`p-${i}`));
  const steps = (count: number, types = ladder(1)) => {
    const { snapshot, options } = new TestEnvironment({ pods: pods(count), types });
    return stepsOf(readPlanningBase(snapshot, options));
  };
  assert.equal(steps(2048).length - steps(1024).length, 8); // read, then sorted into classes
  assert.equal(steps(1, ladder(256)).length - steps(1, ladder(128)).length, 2);
  const waiting = steps(300).map((step) => step.waiting);
  assert.deepEqual(
    waiting.filter((count, i) => count !== waiting[i - 1]),
    [300, 44, 300, 44],
  );
});

test('counting pods by zone and finishing nodes give way every eight of them', () => {
  const pods = (count: number) => Array.from({ length: count }, (_, i) => makePod(`p-${i}`));
  const types = [fakeType('one', { resources: { pods: '1' } })];
  const counting = (count: number) => {
    const { snapshot, options } = new TestEnvironment({ pods: pods(count) });
    return stepsOf(finish(readPlanningBase(snapshot, options)).pendingByZone()).length;
  };
  assert.equal(counting(32) - counting(16), 4); // announced, then counted
  const planning = (count: number) => {
    const { snapshot, options } = new TestEnvironment({ pods: pods(count), types });
    return stepsOf(finish(readPlanningBase(snapshot, options)).plan()).length;
  };
  assert.equal(planning(32) - planning(16), 18); // a step for each pod placed
});

test('how many pods wait is told while they are placed; while a cheaper plan is looked for, none do', () => {
  const type = (name: string, cpu: string, price: number) =>
    makeType(name, { capacity: { cpu, memory: '8Gi', pods: '9' }, offerings: [makeOffering('zone-a', 'spot', price)] });
  const { snapshot, options } = new TestEnvironment({
    types: [type('small', '4', 0.1), type('large', '8', 0.5)],
    pods: ['a', 'b', 'c'].map((name) => makePod(name, { requests: { cpu: '2' } })),
    options: { packing: CHEAPEST },
  });
  const steps = stepsOf(planSnapshot(snapshot, options));
  const waiting = (phase: Progress['phase']) =>
    steps.filter((step) => step.phase === phase).map((step) => step.waiting);
  assert.deepEqual(
    waiting('placing').filter((count, i, all) => count !== all[i - 1]),
    [3, 2, 1, 0],
  );
  assert.ok(waiting('improving').length > 0);
  assert.ok(waiting('improving').every((count) => count === 0));
});
