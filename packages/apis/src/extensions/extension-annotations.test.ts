import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reviewAnnotations } from './extension-annotations.ts';
import type { Extensions } from './extensions.ts';

const review = (annotations: Readonly<Record<string, string>>, extensions: Extensions = 'all') =>
  reviewAnnotations({ metadata: { name: 'default', annotations } }, extensions);

test('nothing is said of a NodePool that uses no extension, and nothing is wrong with good values', () => {
  assert.equal(reviewAnnotations({ metadata: { name: 'default' } }, 'all'), undefined);
  assert.equal(review({ 'example.com/packing-policy': 'x', 'karpenter.sh/nodepool-hash': '1' }), undefined);
  assert.deepEqual(review({ 'karpenter-ts.dev/packing-policy': 'CostAware' }), { problems: [], switchedOff: [] });
});

test('bad values are told, and keys nobody reads with the one that may be meant', () => {
  assert.deepEqual(
    review({
      'karpenter-ts.dev/nodefee': '0.02/h',
      'karpenter-ts.dev/packing-policy': 'Cheap',
      'karpenter-ts.dev/color': 'blue',
    })?.problems,
    [
      'karpenter-ts.dev/packing-policy: "Cheap" is neither CostAware nor Upstream; Upstream is used',
      'karpenter-ts.dev/nodefee: no extension reads it, did you mean karpenter-ts.dev/node-fee?; it is ignored',
      'karpenter-ts.dev/color: no extension reads it; it is ignored',
    ],
  );
});

test('09/117 annotations of extensions that are off are told as such, not as errors', () => {
  const wrong = { 'karpenter-ts.dev/packing-policy': 'Cheap', 'karpenter-ts.dev/node-fee': 'much' };
  assert.deepEqual(review(wrong, new Set(['A4'])), {
    problems: ['karpenter-ts.dev/node-fee: "much" is not an amount per hour such as 0.05/h; no fee is used'],
    switchedOff: ['karpenter-ts.dev/packing-policy: switched off by --extensions'],
  });
  assert.deepEqual(review({ 'karpenter-ts.dev/color': 'blue' }, new Set()), {
    problems: [],
    switchedOff: ['karpenter-ts.dev/color: switched off by --extensions'],
  });
});
