import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPackingAnnotations } from './packing-annotations.ts';

const read = (annotations?: Readonly<Record<string, string>>) =>
  readPackingAnnotations({ metadata: { name: 'default', ...(annotations && { annotations }) } });

test('a NodePool without annotations says nothing about buying', () => {
  const nothing = { policy: undefined, nodeFeePerHour: undefined, problems: [] };
  assert.deepEqual(read(), nothing);
  assert.deepEqual(read({ 'example.com/packing-policy': 'Upstream' }), nothing);
});

test('policy and fee are read from annotations', () => {
  assert.deepEqual(read({ 'karpenter-ts.dev/packing-policy': 'CostAware', 'karpenter-ts.dev/node-fee': '0.02/h' }), {
    policy: 'CostAware',
    nodeFeePerHour: 0.02,
    problems: [],
  });
  assert.equal(read({ 'karpenter-ts.dev/packing-policy': 'Upstream' }).policy, 'Upstream');
  assert.deepEqual(read({ 'karpenter-ts.dev/node-fee': '10/h' }).problems, []);
});

test('a bad annotation asks for what upstream does, and says so', () => {
  assert.deepEqual(read({ 'karpenter-ts.dev/packing-policy': 'costaware', 'karpenter-ts.dev/node-fee': '0.02' }), {
    policy: 'Upstream',
    nodeFeePerHour: 0,
    problems: [
      'karpenter-ts.dev/packing-policy: "costaware" is neither CostAware nor Upstream; Upstream is used',
      'karpenter-ts.dev/node-fee: "0.02" is not an amount per hour such as 0.05/h; no fee is used',
    ],
  });
  assert.deepEqual(read({ 'karpenter-ts.dev/node-fee': '10.01/h' }).problems, [
    'karpenter-ts.dev/node-fee: "10.01/h" is more than 10/h; no fee is used',
  ]);
});
