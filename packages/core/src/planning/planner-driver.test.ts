import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Metrics, MINUTE, realClock, type SteadyClock } from '@karpenter-ts/runtime';
import { recordingLogger } from '@karpenter-ts/runtime/testing';
import { Catalogues, DEFAULT_PLANNING } from '@karpenter-ts/scheduling';
import {
  diversePods,
  REFERENCE_PROFILE,
  referenceCatalogue,
  referenceSnapshot,
} from '@karpenter-ts/scheduling/testing';
import { metricsPage } from '../testing/metrics-page.ts';
import { PlannerDriver } from './planner-driver.ts';
import { TimeSlices } from '../state/time-slices.ts';

/** Drives a plan by a clock; what it is given to plan is upstream's reference mix. */
function start(clock: SteadyClock, pods: number) {
  const snapshot = referenceSnapshot(diversePods(pods), referenceCatalogue(400));
  const metrics = new Metrics(clock);
  const logger = recordingLogger();
  const stop = new AbortController();
  const driver = new PlannerDriver({ clock, metrics, controller: 'test' }, new Catalogues());
  const options = { ...DEFAULT_PLANNING, profile: REFERENCE_PROFILE };
  const plan = () => driver.plan({ snapshot, options }, new TimeSlices(clock, stop.signal), logger);
  return { metrics, logger, stop, plan };
}

/** A clock by which every look at it takes 10 ms, and from one look on it is two minutes later. */
function clockWithLeap(leapAt: number) {
  let looks = 0;
  const elapsed = () => ++looks * 10 + (looks > leapAt ? 2 * MINUTE : 0);
  return { clock: { ...realClock, elapsed }, looks: () => looks };
}

test('02/133 at its deadline a plan ends with what is placed; the rest is undecided, and no failure', async () => {
  const whole = clockWithLeap(Infinity);
  assert.deepEqual((await start(whole.clock, 200).plan()).undecided, []);

  const { plan, logger, metrics } = start(clockWithLeap(0.9 * whole.looks()).clock, 200);
  const { newNodes, undecided, unschedulable } = await plan();
  const placed = newNodes.reduce((sum, { pods }) => sum + pods.length, 0);
  assert.ok(placed > 0 && undecided.length > 0, `${placed} placed, ${undecided.length} undecided`);
  assert.equal(placed + undecided.length + unschedulable.length, 200);
  const [line, ...others] = logger.lines;
  assert.deepEqual(others, []);
  assert.deepEqual([line?.level, line?.message], ['debug', 'scheduling simulation timed out']);
  assert.match(String(line?.fields['duration']), /^2m\d+s$/);
  const labels = `controller="test",scheduling_id="${String(line?.fields['scheduling-id'])}"`;
  const depth = `karpenter_scheduler_queue_depth{${labels}} ${undecided.length}\n`;
  assert.ok((await metricsPage(metrics)).includes(depth));
});

test('others get their turn while a plan is made', async () => {
  const { plan } = start(realClock, 3000);
  let turns = 0;
  const { newNodes } = await whileWatching(plan(), async () => void turns++);
  assert.ok(newNodes.length > 0);
  assert.ok(turns > 3, `${turns} turns`);
});

test('a plan that is no longer wanted ends at its next pause', async () => {
  const { plan, stop, metrics } = start(realClock, 3000);
  const planning = plan();
  stop.abort(new Error('enough'));
  await assert.rejects(planning, /enough/);
  assert.doesNotMatch(await metricsPage(metrics), /unfinished_work_seconds\{/);
});

test('each plan is measured once, and shows how far it is while it is made', async () => {
  const { plan, metrics } = start(realClock, 2000);
  const seen = new Set<string>();
  await whileWatching(plan(), async () => {
    const page = await metricsPage(metrics);
    const series = page.matchAll(/^karpenter_scheduler_(queue_depth|unfinished_work_seconds)(?=\{)/gm);
    for (const [name] of series) seen.add(name);
  });
  assert.deepEqual([...seen].sort(), [
    'karpenter_scheduler_queue_depth',
    'karpenter_scheduler_unfinished_work_seconds',
  ]);
  assert.match(
    await metricsPage(metrics),
    /^karpenter_scheduler_scheduling_duration_seconds_count\{controller="test"\} 1$/m,
  );
});

/** Calls `look` once in every turn of the event loop until the work is done. */
async function whileWatching<T>(work: Promise<T>, look: () => Promise<void>): Promise<T> {
  const state = { isDone: false };
  const watching = (async () => {
    while (!state.isDone) {
      await nextTurn();
      await look();
    }
  })();
  const result = await work;
  state.isDone = true;
  await watching;
  return result;
}
