import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { deletionOrder, plainDeletionOrder } from './deletion-order.ts';
import { buildPod, NOON, readyPod } from './testing/builders.ts';
import { type Pod, timestamp } from '@karpenter-ts/kubernetes';

function names(pods: readonly Pod[]): readonly string[] {
  return pods.map(({ metadata }) => metadata.name);
}

function order(...pods: readonly Pod[]): readonly string[] {
  return names(deletionOrder(pods, pods, NOON));
}

test('pods without a node go first, then pending ones, then those that are not ready', () => {
  const pods = [
    readyPod('ready'),
    buildPod('unready'),
    buildPod('pending', { phase: 'Pending' }),
    buildPod('unscheduled', { phase: 'Pending', spec: { nodeName: '' } }),
  ];
  assert.deepEqual(order(...pods), ['unscheduled', 'pending', 'unready', 'ready']);
});

test('a lower deletion cost goes first, and nonsense costs nothing', () => {
  const cost = (value: string) => ({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': value } });
  const pods = [
    readyPod('dear', { metadata: cost('5') }),
    readyPod('nonsense', { metadata: cost('much') }),
    readyPod('cheap', { metadata: cost('-5') }),
  ];
  assert.deepEqual(order(...pods), ['cheap', 'nonsense', 'dear']);
});

test('a pod among many of its workload goes before one that is alone', () => {
  const pods = [
    readyPod('alone', { spec: { nodeName: 'a' } }),
    readyPod('one', { spec: { nodeName: 'b' } }),
    readyPod('two', { spec: { nodeName: 'b' } }),
  ];
  assert.equal(order(...pods).at(-1), 'alone');
});

test('of ready pods the younger goes first, but only if it is younger by far', () => {
  const since = (name: string, age: number): Pod => buildPod(name, { readySince: NOON - age });
  assert.deepEqual(order(since('old', 10 * HOUR), since('young', 1 * MINUTE)), ['young', 'old']);
  assert.deepEqual(order(since('b', 70 * MINUTE), since('a', 71 * MINUTE)), ['a', 'b']); // as old: the uid decides
});

test('a pod that keeps restarting goes before one that does not', () => {
  const restarts = (restartCount: number) => ({ containerStatuses: [{ name: 'main', restartCount }] });
  const pods = [readyPod('calm', { status: restarts(0) }), readyPod('troubled', { status: restarts(3) })];
  for (const each of [pods, pods.toReversed()]) {
    const ready = each.map((pod) => ({
      ...pod,
      status: { ...pod.status, conditions: pods[0]?.status?.conditions ?? [] },
    }));
    assert.deepEqual(order(...ready), ['troubled', 'calm']);
  }
});

test('Jobs let the youngest go first, to the second', () => {
  const created = (name: string, age: number): Pod =>
    buildPod(name, { phase: 'Pending', metadata: { creationTimestamp: timestamp(NOON - age) } });
  assert.deepEqual(names(plainDeletionOrder([created('old', 61 * SECOND), created('young', 60 * SECOND)])), [
    'young',
    'old',
  ]);
});
