import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND } from '@karpenter-ts/runtime';
import { isActive, isAvailable, nextAvailability } from './pod-state.ts';
import { buildPod, NOON, readyPod } from './testing/builders.ts';

test('a pod is active until it ends or is deleted', () => {
  assert.ok(isActive(buildPod('a', { phase: 'Pending' })));
  assert.ok(!isActive(buildPod('a', { phase: 'Succeeded' })));
  assert.ok(!isActive(buildPod('a', { phase: 'Failed' })));
  assert.ok(!isActive(buildPod('a', { isTerminating: true })));
});

test('a pod is available once it has been ready for long enough', () => {
  const pod = buildPod('a', { readySince: NOON });
  assert.ok(isAvailable(pod, NOON));
  assert.ok(!isAvailable(pod, NOON + 9 * SECOND, 10));
  assert.ok(isAvailable(pod, NOON + 10 * SECOND, 10));
  assert.ok(!isAvailable(buildPod('a'), NOON));
});

test('the next pod to become available is the one that has waited longest', () => {
  const pods = [
    buildPod('early', { readySince: NOON - 4 * SECOND }),
    buildPod('late', { readySince: NOON }),
    buildPod('unready'),
    readyPod('available'),
  ];
  assert.equal(nextAvailability(pods, NOON, 10), 6 * SECOND);
  assert.equal(nextAvailability(pods.slice(2), NOON, 10), undefined);
});
