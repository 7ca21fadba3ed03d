import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISRUPTED_TAINT, DO_NOT_DISRUPT, readDoNotDisrupt } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import { MINUTE } from '@karpenter-ts/runtime';
import { ownedBy, runningPod } from '../testing/cluster-objects.ts';
import { findEvictionObstacle, isDisruptable } from './predicates.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

const status = { phase: 'Running', startTime: '2026-01-01T00:00:00Z' };
const PROTECTED = { annotations: { [DO_NOT_DISRUPT]: '5m' }, status };
const tolerations = [{ key: DISRUPTED_TAINT.key, operator: 'Exists' }];
const mirrored = [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'uid' }];

function terminating(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:01:00Z' } };
}

const obstacle = (pod: Pod, now = START) => findEvictionObstacle(pod, readDoNotDisrupt(pod, now));

test('an active pod is evicted, also one of a DaemonSet', () => {
  assert.equal(obstacle(runningPod('a', 'n')), undefined);
  assert.equal(obstacle(runningPod('a', 'n', { ownerReferences: ownedBy('DaemonSet') })), undefined);
});

test('what keeps a pod from being evicted is named, the most final reason first', () => {
  const all = { ...PROTECTED, tolerations, ownerReferences: mirrored };
  assert.equal(obstacle(runningPod('a', 'n', { ...all, status: { phase: 'Succeeded' } })), 'NotActive');
  assert.equal(obstacle(terminating(runningPod('a', 'n', all))), 'NotActive');
  assert.equal(obstacle(runningPod('a', 'n', all)), 'ToleratesDisruption');
  assert.equal(obstacle(runningPod('a', 'n', { ...PROTECTED, ownerReferences: mirrored })), 'MirrorPod');
  assert.equal(obstacle(runningPod('a', 'n', PROTECTED)), 'DoNotDisrupt');
});

test('a pod is protected for as long as it says, and not when it is going anyway', () => {
  const pod = runningPod('a', 'n', PROTECTED);
  const isFree = (one: Pod, now: number) => isDisruptable(one, readDoNotDisrupt(one, now));
  assert.equal(isFree(pod, START), false);
  assert.equal(isFree(pod, START + 5 * MINUTE), true);
  assert.equal(obstacle(pod, START + 5 * MINUTE), undefined);
  assert.equal(isFree(terminating(pod), START), true);
  assert.equal(isFree({ ...pod, status: { ...status, phase: 'Failed' } }, START), true);
});

test('mirror pods and pods of a DaemonSet protect their node like others', () => {
  for (const ownerReferences of [mirrored, ownedBy('DaemonSet')]) {
    const pod = runningPod('a', 'n', { ...PROTECTED, ownerReferences });
    assert.equal(isDisruptable(pod, readDoNotDisrupt(pod, START)), false);
  }
});
