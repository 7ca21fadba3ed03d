import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, Metrics, SECOND } from '@karpenter-ts/runtime';
import { AdjustableClock } from '@karpenter-ts/runtime/testing';
import type { Pod } from '@karpenter-ts/kubernetes';
import { pendingPod } from '../testing/cluster-objects.ts';
import { metricsPage } from '../testing/metrics-page.ts';
import { PodDecisions } from './pod-decisions.ts';
import type { PodFailure } from './pod-failure.ts';

const POD = podOf('a');
const NO_ROOM: PodFailure = { why: 'NoUsablePools' };

function podOf(name: string, uid = name): Pod {
  const pod = pendingPod(name);
  return { ...pod, metadata: { ...pod.metadata, uid } };
}

/** With the pods a, b, c and unseen. */
function start() {
  const clock = new AdjustableClock(0);
  const metrics = new Metrics(clock);
  const pods = new Map(['a', 'b', 'c', 'unseen'].map((name) => [`default/${name}`, podOf(name)]));
  return { clock, metrics, pods, decisions: new PodDecisions({ clock, metrics, caches: { pods } }) };
}

test('02/26 a failure removes the time since the pod is placeable, and its NodeClaim', async () => {
  const { clock, decisions } = start();
  decisions.place(POD, true);
  decisions.expectOn(POD, 'claim');
  await clock.advance(1 * SECOND);
  decisions.fail(POD, NO_ROOM);
  const { decidedAt, placeableSince, placeableOnHealthySince, nodeClaim, failure } = decisions.find('default/a')!;
  assert.deepEqual(
    [placeableSince, placeableOnHealthySince, nodeClaim, failure],
    [undefined, undefined, undefined, NO_ROOM],
  );
  assert.equal(decidedAt, 0);
  decisions.place(POD, false);
  assert.equal(decisions.find('default/a')?.failure, undefined);
});

test('02/141 the first time on a pool whose nodes register is remembered, until the pod moves to another', async () => {
  const { clock, decisions } = start();
  const since = () => [
    decisions.find('default/a')?.placeableSince,
    decisions.find('default/a')?.placeableOnHealthySince,
  ];
  decisions.place(POD, true);
  await clock.advance(5 * SECOND);
  decisions.place(POD, true);
  assert.deepEqual(since(), [0, 0]);
  decisions.place(POD, false);
  assert.deepEqual(since(), [0, undefined]);
  decisions.place(POD, true);
  assert.deepEqual(since(), [0, 5 * SECOND]);
  decisions.forget('default/a');
  assert.equal(decisions.find('default/a'), undefined);
});

test('02/130 the time from being seen to the first decision is measured once, and only for pods that were seen', async () => {
  const { clock, metrics, decisions } = start();
  for (const pod of ['a', 'b', 'c']) decisions.see(podOf(pod));
  clock.setWallBy(-1 * HOUR); // durations take no notice of it
  await clock.advance(2 * SECOND);
  decisions.see(POD); // again: the first time counts
  decisions.place(POD, true);
  decisions.place(podOf('b'), false);
  decisions.fail(podOf('c'), NO_ROOM);
  decisions.fail(podOf('unseen'), NO_ROOM);
  decisions.place(POD, true);
  decisions.fail(podOf('b'), NO_ROOM);
  const page = await metricsPage(metrics);
  assert.match(page, /^karpenter_pods_scheduling_decision_duration_seconds_count 3$/m);
  assert.match(page, /^karpenter_pods_scheduling_decision_duration_seconds_sum 6$/m);
});

test('nothing is remembered of a pod that is gone, nor of one replaced by a pod of the same name', () => {
  const { pods, decisions } = start();
  pods.clear();
  pods.set('default/a', podOf('a', 'another'));
  for (const pod of [POD, podOf('b')]) {
    decisions.see(pod);
    decisions.fail(pod, NO_ROOM);
    decisions.place(pod, true);
    decisions.expectOn(pod, 'claim');
  }
  assert.equal(decisions.size, 0);
});
