import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISRUPTED_TAINT, formatTaint, isKnownEphemeralTaint, mergeTaints, UNREGISTERED_TAINT } from './taints.ts';

test('taints a starting node loses by itself are known by key and effect, whatever the value', () => {
  const uninitialized = { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' };
  assert.equal(isKnownEphemeralTaint(uninitialized), true);
  assert.equal(isKnownEphemeralTaint({ ...uninitialized, value: 'other' }), true);
  assert.equal(isKnownEphemeralTaint({ ...uninitialized, effect: 'NoExecute' }), false);
  assert.equal(isKnownEphemeralTaint({ key: 'readiness.k8s.io/cni', effect: 'NoExecute' }), true);
  assert.equal(isKnownEphemeralTaint(UNREGISTERED_TAINT), true);
  assert.equal(isKnownEphemeralTaint(DISRUPTED_TAINT), false);
});

test('merging adds what has a new key and effect and keeps existing values', () => {
  const existing = [{ key: 'a', value: 'old', effect: 'NoSchedule' }];
  const added = [
    { key: 'a', value: 'new', effect: 'NoSchedule' },
    { key: 'a', effect: 'NoExecute' },
    { key: 'a', value: 'twice', effect: 'NoExecute' },
  ];
  assert.deepEqual(mergeTaints(existing, added), [existing[0], added[1]]);
});

test('a taint prints its value only if it has one', () => {
  assert.equal(formatTaint({ key: 'a/b', value: 'c', effect: 'NoSchedule' }), 'a/b=c:NoSchedule');
  assert.equal(formatTaint({ key: 'a/b', value: '', effect: 'NoSchedule' }), 'a/b:NoSchedule');
  assert.equal(formatTaint({ key: 'a/b', effect: 'NoExecute' }), 'a/b:NoExecute');
});
