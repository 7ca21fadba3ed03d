import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackingOptions } from '@karpenter-ts/scheduling';
import {
  CHEAPEST,
  fakeType,
  ladder,
  makeNode,
  makeOffering,
  makePod,
  TestEnvironment,
} from '@karpenter-ts/scheduling/testing';
import { toPlanFile } from './plan-file.ts';

test('a plan file lists nodes with their pods and the sixty cheapest types, and why pods are left', () => {
  const plan = new TestEnvironment({ types: ladder(70) }).plan(
    makePod('a', { requests: { cpu: '500m' } }),
    makePod('giant', { requests: { cpu: '500' } }),
  );
  const { nodes, unschedulable, pricePerHour, seconds } = toPlanFile(plan, 1.5);
  assert.equal(nodes.length, 1);
  assert.deepEqual([nodes[0]!.nodePool, nodes[0]!.pods], ['default', ['default/a']]);
  assert.deepEqual([nodes[0]!.instanceTypes.length, nodes[0]!.instanceTypes[0]], [60, 'fake-it-0']);
  assert.equal(unschedulable[0]!.pod, 'default/giant');
  assert.match(unschedulable[0]!.reason, /^no instance type has enough resources, /);
  assert.deepEqual([pricePerHour, seconds], [0.314748, 1.5]); // to a millionth
});

test('a node that can be of one type lists it', () => {
  const plan = new TestEnvironment({ types: [fakeType('only')] }).plan(makePod('a', { namespace: 'shop' }));
  assert.deepEqual(toPlanFile(plan, 0).nodes[0]!.instanceTypes, ['only']);
  assert.deepEqual(toPlanFile(plan, 0).nodes[0]!.pods, ['shop/a']);
});

test('the prices of both plans are given to a millionth; the other only if there is one', () => {
  const type = (name: string, cpu: string, price: number) =>
    fakeType(name, { resources: { cpu, pods: '9' }, offerings: [makeOffering('test-zone-1', 'on-demand', price)] });
  const pods = ['a', 'b', 'c'].map((name) => makePod(name, { requests: { cpu: '3' } }));
  const packed = (packing: PackingOptions) =>
    toPlanFile(
      new TestEnvironment({ types: [type('small', '4', 0.1), type('large', '12', 0.7)], options: { packing } }).plan(
        ...pods,
      ),
      0,
    ).packing;
  const upstream = { nodes: 1, pricePerHour: 0.7, feesPerHour: 0 };
  assert.deepEqual(packed(CHEAPEST), {
    taken: 'cost-aware',
    why: 'Cheaper',
    upstream,
    costAware: { nodes: 3, pricePerHour: 0.3, feesPerHour: 0 }, // the sum of three is a little more
  });
  const policy = { ...CHEAPEST, policy: 'Upstream' } as const;
  assert.deepEqual(packed(policy), { taken: 'upstream', why: 'Policy', upstream, costAware: undefined });
});

test('pods that go to existing nodes are listed with these', () => {
  const environment = new TestEnvironment({ nodes: [makeNode('n1')] });
  assert.deepEqual(toPlanFile(environment.plan(makePod('a')), 0).existing, [{ node: 'n1', pods: ['default/a'] }]);
  assert.equal(toPlanFile(new TestEnvironment().plan(makePod('a')), 0).existing, undefined);
});
