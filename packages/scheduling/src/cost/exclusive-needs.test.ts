import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeOffering, makePod, makePool, makeType } from '../testing/builders.ts';
import { CHEAPEST } from '../testing/packing.ts';
import { sketchProblem } from '../testing/packing-problem-sketch.ts';
import { TestEnvironment } from '../testing/test-environment.ts';
import { Effort } from './effort.ts';
import { Filler } from './filler.ts';

const type = (name: string, cpu: string, price: number) =>
  makeType(name, {
    capacity: { cpu, memory: '64Gi', pods: '9' },
    offerings: [makeOffering('zone-a', 'on-demand', price)],
  });

test('of pods that need different values of a label the pool leaves open, those of one value share nodes', () => {
  const pools = [makePool('default', { requirements: [{ key: 'team', operator: 'Exists' }] })];
  // Upstream puts the four pods of a team on one large node; two small ones cost half.
  const typesOf = { default: [type('large', '8', 1), type('small', '4', 0.25)] };
  const pods = ['a', 'b', 'c'].flatMap((team) =>
    Array.from({ length: 4 }, (_, i) =>
      makePod(`${team}-${i}`, { requests: { cpu: '1900m' }, nodeSelector: { team } }),
    ),
  );
  const { newNodes, unschedulable } = new TestEnvironment({ pools, typesOf, options: { packing: CHEAPEST } }).plan(
    ...pods,
  );
  assert.equal(unschedulable.length, 0);
  assert.deepEqual(
    newNodes.map(({ instanceTypes }) => instanceTypes[0]),
    Array.from({ length: 6 }, () => 'small'),
  );
  for (const node of newNodes) {
    assert.equal(new Set(node.pods.map(({ pod }) => pod.spec.nodeSelector?.['team'])).size, 1);
  }
});

test('a load has one value of each label, and pods that need none of them beside it', () => {
  const [A, B] = [
    { label: 0, value: 1 },
    { label: 0, value: 2 },
  ];
  const problem = sketchProblem(
    [{ room: [10], costPerHour: 1 }],
    [
      { requests: [1], count: 2, exclusive: [A] },
      { requests: [1], count: 9, exclusive: [B] },
      { requests: [1], count: 1 },
      { requests: [1], count: 1, exclusive: [A, { label: 1, value: 7 }] },
      { requests: [1], count: 1, exclusive: [{ label: 1, value: 8 }] },
    ],
  );
  const left = Int32Array.from(problem.groups, ({ units }) => units.length);
  const load = new Filler(problem, new Effort(0)).fill(0, Float64Array.from([9, 1, 1, 5, 1]), left);
  const counts = Object.fromEntries(load.groups.map((group, i) => [group, load.counts[i]]));
  assert.deepEqual(counts, { 0: 2, 2: 1, 3: 1 });
});
