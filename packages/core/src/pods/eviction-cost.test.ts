import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@karpenter-ts/kubernetes';
import { ownedBy, runningPod } from '../testing/cluster-objects.ts';
import {
  evictionCost,
  findInvalidDeletionCost,
  POD_DELETION_COST,
  rescheduleDisruptionCost,
  reschedulingCost,
} from './eviction-cost.ts';

function priced(deletionCost: string, name = 'a'): Pod {
  return runningPod(name, 'n', { annotations: { [POD_DELETION_COST]: deletionCost } });
}

function ranked(priority: number): Pod {
  const pod = runningPod('a', 'n');
  return { ...pod, spec: { ...pod.spec, priority } };
}

test('04/26 the eviction of a pod that says nothing costs exactly 1', () => {
  assert.equal(evictionCost(runningPod('a', 'n')), 1);
  assert.equal(evictionCost(priced('0')), 1);
  assert.equal(evictionCost(ranked(0)), 1);
});

test('04/26 04/27 deletion cost and priority raise and lower the cost by their units', () => {
  const costs = ['101', '100', '99', '-100'].map((value) => evictionCost(priced(value)));
  assert.deepEqual(
    costs,
    [...costs].sort((a, b) => b - a),
  );
  assert.ok(costs[2]! > 1 && costs[3]! < 1);
  assert.equal(evictionCost(priced(String(2 ** 27))), 2);
  assert.equal(evictionCost(priced('1e2')), evictionCost(priced('100')));
  assert.equal(evictionCost(ranked(2 ** 25)), 2);
  assert.ok(evictionCost(ranked(1)) > 1 && evictionCost(ranked(-1)) < 1);
  const pod = priced(String(2 ** 27));
  assert.equal(evictionCost({ ...pod, spec: { ...pod.spec, priority: -(2 ** 26) } }), 0);
});

test('04/27 the cost lies between -10 and 10', () => {
  assert.equal(evictionCost(priced('2147483647')), 10);
  assert.equal(evictionCost(priced('-2147483648')), -10);
  assert.equal(evictionCost(ranked(1_000_000_000)), 10);
  assert.equal(evictionCost(ranked(-(2 ** 31))), -10);
  assert.equal(evictionCost(priced('-Inf')), -10);
});

test('04/28 a deletion cost that is no number counts as none, and is told in the words of Go', () => {
  for (const [value, why] of [
    ['abc', 'invalid syntax'],
    ['', 'invalid syntax'],
    ['1e999', 'value out of range'],
    ['NaN', 'invalid syntax'],
  ] as const) {
    assert.equal(evictionCost(priced(value)), 1);
    const problem = `strconv.ParseFloat: parsing "${value}": ${why}`;
    assert.deepEqual(findInvalidDeletionCost(priced(value)), { value, problem });
  }
  assert.equal(findInvalidDeletionCost(priced('-3')), undefined);
  assert.equal(findInvalidDeletionCost(runningPod('a', 'n')), undefined);
});

test('all pods of a node count for its rescheduling cost, only reschedulable ones for its disruption cost', () => {
  const pods = [
    runningPod('a', 'n'),
    runningPod('daemon', 'n', { ownerReferences: ownedBy('DaemonSet') }),
    runningPod('mirror', 'n', { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'uid' }] }),
    runningPod('done', 'n', { status: { phase: 'Succeeded' } }),
  ];
  assert.equal(reschedulingCost(pods), 4);
  assert.equal(rescheduleDisruptionCost(pods), 2);
  assert.equal(reschedulingCost([]), 0);
  assert.equal(rescheduleDisruptionCost([]), 1);
});

test('a pod that asks to go first does not make the disruption of its node cheaper', () => {
  const pods = [runningPod('a', 'n'), priced('-2147483648', 'b')];
  assert.equal(reschedulingCost(pods), -9);
  assert.equal(rescheduleDisruptionCost(pods), 2);
});
