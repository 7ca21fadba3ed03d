import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { metricsPage } from '../testing/metrics-page.ts';
import { PodDecisions } from './pod-decisions.ts';

function start() {
  const clock = new VirtualClock(0);
  const metrics = new Metrics(clock);
  return { clock, metrics, decisions: new PodDecisions({ clock, metrics }) };
}

test('02/26 a failure takes back the place and where it was expected', async () => {
  const { clock, decisions } = start();
  decisions.place('ns/a', true);
  decisions.expectOn('ns/a', 'claim');
  await clock.advance(1 * SECOND);
  decisions.fail('ns/a', 'no room');
  const { decidedAt, placeableSince, placeableOnHealthySince, nodeClaim, failure } = decisions.find('ns/a')!;
  assert.deepEqual(
    [placeableSince, placeableOnHealthySince, nodeClaim, failure],
    [undefined, undefined, undefined, 'no room'],
  );
  assert.equal(decidedAt, 0);
  decisions.place('ns/a', false);
  assert.equal(decisions.find('ns/a')?.failure, undefined);
});

test('02/141 the first place on a pool whose nodes register is remembered, until it is on another', async () => {
  const { clock, decisions } = start();
  const since = () => [decisions.find('ns/a')?.placeableSince, decisions.find('ns/a')?.placeableOnHealthySince];
  decisions.place('ns/a', true);
  await clock.advance(5 * SECOND);
  decisions.place('ns/a', true);
  assert.deepEqual(since(), [0, 0]);
  decisions.place('ns/a', false);
  assert.deepEqual(since(), [0, undefined]);
  decisions.place('ns/a', true);
  assert.deepEqual(since(), [0, 5 * SECOND]);
  decisions.forget('ns/a');
  assert.equal(decisions.find('ns/a'), undefined);
});

test('02/130 the time from being seen to the first decision is measured once, and only for pods that were seen', async () => {
  const { clock, metrics, decisions } = start();
  for (const pod of ['ns/a', 'ns/b', 'ns/c']) decisions.see(pod);
  await clock.advance(2 * SECOND);
  decisions.see('ns/a'); // again: the first time counts
  decisions.place('ns/a', true);
  decisions.place('ns/b', false);
  decisions.fail('ns/c', 'no room');
  decisions.fail('ns/unseen', 'no room');
  decisions.place('ns/a', true);
  decisions.fail('ns/b', 'no room');
  const page = await metricsPage(metrics);
  assert.match(page, /^karpenter_pods_scheduling_decision_duration_seconds_count 3$/m);
  assert.match(page, /^karpenter_pods_scheduling_decision_duration_seconds_sum 6$/m);
});
