import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND } from '@karpenter-ts/runtime';
import type { Toleration } from '@karpenter-ts/kubernetes';
import { buildPod } from '../testing/builders.ts';
import { stayUnder } from './taint-eviction.ts';

const TAINTS = ['a', 'b'].map((key) => ({ key, effect: 'NoExecute' }));

function stay(...tolerations: readonly Toleration[]): number {
  return stayUnder(buildPod('web', { spec: { tolerations } }), TAINTS);
}

test('a pod that does not tolerate all taints may not stay', () => {
  assert.equal(stay(), 0);
  assert.equal(stay({ key: 'a', operator: 'Exists' }), 0);
});

test('the shortest of the times counts, and none of them is for ever', () => {
  assert.equal(stay({ operator: 'Exists' }), Number.POSITIVE_INFINITY);
  assert.equal(stay({ key: 'a', operator: 'Exists', tolerationSeconds: 30 }, { operator: 'Exists' }), 30 * SECOND);
  assert.equal(
    stay(
      { key: 'a', operator: 'Exists', tolerationSeconds: 30 },
      { key: 'b', operator: 'Exists', tolerationSeconds: 10 },
    ),
    10 * SECOND,
  );
  assert.equal(stay({ operator: 'Exists', tolerationSeconds: -5 }), 0);
});
