import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARCH_LABEL, INSTANCE_TYPE_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { NodeSelectorRequirement } from '@karpenter-ts/kubernetes';
import { makeOffering, makePod, makePool } from '../../testing/builders.ts';
import { fakeType, ladder } from '../../testing/fake-types.ts';
import { onNodes, where } from '../../testing/pod-parts.ts';
import { failureOf, packing, TestEnvironment } from '../../testing/test-environment.ts';

type Variety = { readonly key: string; readonly minValues: number };
const wanting = (name: string, entries: readonly Variety[], weight?: number) =>
  makePool(name, {
    requirements: entries.map((entry) => ({ ...entry, operator: 'Exists' as const })),
    ...(weight && { weight }),
  });
const types = (...cpus: readonly number[]) =>
  cpus.map((cpu) => fakeType(`cpu-${cpu}`, { resources: { cpu: String(cpu), pods: '10' } }));
const needing = (name: string, cpu: string, ...expressions: readonly NodeSelectorRequirement[]) =>
  makePod(name, { requests: { cpu }, ...(expressions.length > 0 && { affinity: onNodes(expressions) }) });

test('02/119 a pod that would cost a node its variety gets its own', () => {
  const pools = [wanting('default', [{ key: INSTANCE_TYPE_LABEL, minValues: 2 }])];
  const plan = new TestEnvironment({ pools, types: types(1, 4) }).plan(needing('a', '0.9'), needing('b', '0.9'));
  assert.deepEqual(packing(plan), [1, 1]);
  for (const { instanceTypes } of plan.newNodes) assert.deepEqual([...instanceTypes].sort(), ['cpu-1', 'cpu-4']);
});

test('02/120 a pool that can never have the variety is unusable and says why', () => {
  const pools = [wanting('default', [{ key: INSTANCE_TYPE_LABEL, minValues: 11 }])];
  const plan = new TestEnvironment({ pools, types: ladder(10) }).plan(makePod('a'));
  const shortOf = [{ label: INSTANCE_TYPE_LABEL, wanted: 11, found: 10 }];
  assert.deepEqual(plan.unusablePools, [{ nodePool: 'default', minValuesUnmet: true, shortOf }]);
  assert.equal(plan.newNodes.length, 0);
});

test('02/120 a list that had to be cut below the variety takes its pods with it', () => {
  const pools = [wanting('default', [{ key: INSTANCE_TYPE_LABEL, minValues: 2 }])];
  const environment = new TestEnvironment({ pools, types: types(2, 4), options: { maxInstanceTypes: 1 } });
  const [a, b] = [needing('a', '0.9'), needing('b', '0.9')];
  const plan = environment.plan(a, b);
  assert.equal(plan.newNodes.length, 0);
  for (const pod of [a, b]) {
    assert.equal(
      failureOf(plan, pod),
      'pod didn’t schedule because NodePool couldn’t meet minValues requirements, validating minValues, ' +
        'minValues requirement is not met for label(s) (label(s)=[node.kubernetes.io/instance-type]) (NodePool=default)',
    );
  }
});

test('02/121 02/188 with best effort the variety there is will do, in the heavier pool first', () => {
  const pools = [wanting('heavy', [{ key: INSTANCE_TYPE_LABEL, minValues: 3 }], 100), makePool('light')];
  const environment = new TestEnvironment({ pools, types: types(2, 4), options: { minValuesPolicy: 'BestEffort' } });
  const [node] = environment.plan(needing('a', '1')).newNodes;
  assert.equal(node!.nodePool, 'heavy');
  assert.equal(node!.minValuesRelaxed, true);
  assert.equal(node!.requirements.get(INSTANCE_TYPE_LABEL)!.minValues, 2);
  const offerings = [makeOffering('test-zone-1', 'spot', 1), makeOffering('test-zone-2', 'spot', 1)];
  const both = new TestEnvironment({
    pools: [
      wanting('default', [
        { key: INSTANCE_TYPE_LABEL, minValues: 3 },
        { key: ZONE_LABEL, minValues: 3 },
      ]),
    ],
    types: [fakeType('one', { offerings })],
    options: { minValuesPolicy: 'BestEffort' },
  });
  const [relaxed] = both.plan(makePod('a')).newNodes;
  assert.equal(relaxed!.requirements.get(INSTANCE_TYPE_LABEL)!.minValues, 1);
  assert.equal(relaxed!.requirements.get(ZONE_LABEL)!.minValues, 2);
});

test('with best effort a list that had to be cut below the variety is bought from all the same', () => {
  const pools = [wanting('default', [{ key: INSTANCE_TYPE_LABEL, minValues: 2 }])];
  const options = { maxInstanceTypes: 1, minValuesPolicy: 'BestEffort' } as const;
  const plan = new TestEnvironment({ pools, types: types(2, 4), options }).plan(needing('a', '0.9'));
  assert.deepEqual(plan.newNodes[0]!.instanceTypes, ['cpu-2']);
});

test('02/122 a pool no type matches is unusable; pods that fit existing nodes are placed all the same', () => {
  const pools = [makePool('default', { requirements: [{ key: ARCH_LABEL, operator: 'In', values: ['mips'] }] })];
  const environment = new TestEnvironment({ pools });
  const pod = makePod('a');
  const plan = environment.plan(pod);
  assert.deepEqual(plan.unusablePools, [{ nodePool: 'default', minValuesUnmet: false, shortOf: [] }]);
  assert.equal(failureOf(plan, pod), 'nodepool requirements filtered out all available instance types');
});

test('02/187 variety on numbers counts what the types themselves declare', () => {
  const pools = [wanting('default', [{ key: 'integer', minValues: 2 }])];
  const environment = new TestEnvironment({ pools, types: types(2, 4) });
  const pod = needing('a', '1', where('integer', 'Gt', '2'));
  assert.match(
    failureOf(environment.plan(pod), pod)!,
    /^minValues requirement is not met for label\(s\) \(label\(s\)=\[integer\]\), requirements=.*integer Exists >=3 minValues 2.*, resources=/,
  );
  const none = needing('a', '1', where('integer', 'Gt', '4'));
  assert.match(failureOf(environment.plan(none), none)!, /^no instance type met all requirements, /);
});

test('02/188 varieties on several labels must all hold', () => {
  const arm = fakeType('arm', { arch: 'arm64' });
  const entries = [
    { key: ARCH_LABEL, minValues: 2 },
    { key: INSTANCE_TYPE_LABEL, minValues: 1 },
  ];
  const plan = (...offered: Parameters<typeof fakeType>[0][]) =>
    new TestEnvironment({
      pools: [wanting('default', entries)],
      types: [arm, ...offered.map((name) => fakeType(name))],
    }).plan(makePod('a'));
  assert.equal(plan('intel').newNodes.length, 1);
  assert.equal(plan().unusablePools.length, 1);
});

test('02/192 a pool without types is unusable, the others serve', () => {
  const pools = [makePool('empty', { weight: 100 }), makePool('default')];
  const plan = new TestEnvironment({ pools, typesOf: { empty: [] } }).plan(makePod('a'));
  assert.deepEqual(plan.unusablePools, [{ nodePool: 'empty', minValuesUnmet: false, shortOf: [] }]);
  assert.equal(plan.newNodes[0]!.nodePool, 'default');
});
