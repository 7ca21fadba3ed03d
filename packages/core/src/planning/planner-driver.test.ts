import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Metrics, MINUTE, realClock, type SteadyClock } from '@karpenter-ts/runtime';
import { recordingLogger } from '@karpenter-ts/runtime/testing';
import type { Pod } from '@karpenter-ts/kubernetes';
import { Catalogues, DEFAULT_PLANNING, type Snapshot } from '@karpenter-ts/scheduling';
import {
  consolidationCluster,
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
  const driver = new PlannerDriver({ clock, metrics, controller: 'test', catalogues: new Catalogues() });
  const options = { ...DEFAULT_PLANNING, profile: REFERENCE_PROFILE };
  const plan = async () => {
    const slices = new TimeSlices(clock, stop.signal);
    const planner = await driver.read({ snapshot, options }, slices);
    return await planner.plan({ slices, logger, deadline: 1 * MINUTE });
  };
  return { metrics, logger, stop, plan };
}

/** A clock by which every look at it takes so many milliseconds, and from one look on it is two minutes later. */
function clockWithLeap(leapAt: number, perLook = 10) {
  let looks = 0;
  const elapsed = () => ++looks * perLook + (looks > leapAt ? 2 * MINUTE : 0);
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

test('others get their turn after every 10 ms of the making of a plan', async () => {
  const { clock, looks } = clockWithLeap(Infinity, 1);
  const { plan } = start(clock, 200);
  let [turns, looksBefore, longest] = [0, 0, 0];
  const { newNodes } = await whileWatching(plan(), async () => {
    // The watch begins when the plan has paused for the first time, and so has its first turn after two slices.
    if (turns > 0) longest = Math.max(longest, looks() - looksBefore);
    turns++;
    looksBefore = looks();
  });
  assert.ok(newNodes.length > 0);
  // A slice begins with a look at the clock, ends with the tenth after it, and its length is read at the pause.
  assert.ok(turns >= looks() / 20 && looks() > 200, `${turns} turns in ${looks()} ms`);
  assert.ok(longest <= 20, `${longest} ms passed between two turns`);
});

test('a plan that is no longer wanted ends at its next pause', async () => {
  const { plan, stop, metrics } = start(clockWithLeap(Infinity).clock, 200);
  const planning = plan();
  stop.abort(new Error('enough'));
  await assert.rejects(planning, /enough/);
  assert.doesNotMatch(await metricsPage(metrics), /unfinished_work_seconds\{/);
});

test('each plan is measured once, and shows how far it is while it is made', async () => {
  const { plan, metrics } = start(clockWithLeap(Infinity).clock, 200);
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

test('a plan and what-ifs that run in turns disturb each other neither in their results nor in their deadlines', async () => {
  const { clock, planOf, searchOf, catalogue } = startTwo();
  const pods = diversePods(200);
  const cluster = consolidationCluster(60, catalogue);
  const alone = await planOf(pods, Infinity);
  const searchAlone = await searchOf(cluster, Infinity);
  const startedAt = clock.elapsed();
  const deadlines = { plan: alone.worked * 1.1, search: searchAlone.longest * 1.1 };
  const [plan, search] = await Promise.all([planOf(pods, deadlines.plan), searchOf(cluster, deadlines.search)]);
  assert.deepEqual(plan.outline, alone.outline);
  assert.equal(plan.undecided, 0);
  assert.deepEqual(search.answers, searchAlone.answers);
  const passed = clock.elapsed() - startedAt;
  assert.ok(search.worked > deadlines.plan, 'the search alone takes longer than the plan may');
  assert.ok(passed > deadlines.plan * 2, `${passed} ms passed, and the deadline was at ${deadlines.plan} ms`);
});

test('a what-if ends at its own deadline with undecided pods, and the next one is asked as if nothing had been', async () => {
  const { searchOf, catalogue } = startTwo();
  const cluster = consolidationCluster(20, catalogue);
  const whole = await searchOf(cluster, Infinity);
  const cut = await searchOf(cluster, 1);
  assert.ok(whole.answers.every(({ undecided }) => undecided === 0));
  assert.ok(cut.answers.every(({ undecided }) => undecided > 0));
});

/** Two controllers that share a clock and the instance types. Every look at the clock takes 10 ms. */
function startTwo() {
  const { clock } = clockWithLeap(Infinity);
  const [catalogues, catalogue] = [new Catalogues(), referenceCatalogue(400)];
  const driverOf = (controller: string) =>
    new PlannerDriver({ clock, metrics: new Metrics(clock), controller, catalogues });
  const options = { ...DEFAULT_PLANNING, profile: REFERENCE_PROFILE };
  const logger = recordingLogger();
  const planOf = async (pods: readonly Pod[], deadline: number) => {
    const slices = new TimeSlices(clock, new AbortController().signal);
    const planner = await driverOf('provisioner').read(
      { snapshot: referenceSnapshot(pods, catalogue), options },
      slices,
    );
    const before = slices.worked;
    const { newNodes, undecided } = await planner.plan({ slices, logger, deadline });
    const outline = newNodes.map((node) => [node.instanceTypes, node.pods.map(({ pod }) => pod.metadata.name)]);
    return { outline, undecided: undecided.length, worked: slices.worked - before };
  };
  /** Asks what would become of the pods of each node. */
  const searchOf = async (snapshot: Snapshot, deadline: number) => {
    const slices = new TimeSlices(clock, new AbortController().signal);
    const driver = driverOf('disruption');
    const planner = await driver.read({ snapshot, options: { ...options, reservedCapacity: 'Fallback' } }, slices);
    const answers = [];
    let longest = 0;
    const started = slices.worked;
    for (const { providerId, pods } of snapshot.nodes) {
      const before = slices.worked;
      const change = { withoutNodes: [providerId], withPods: pods };
      const { newNodes, existingNodes, undecided } = await planner.whatIf(change, { slices, logger, deadline });
      answers.push({
        bought: newNodes.length,
        onto: existingNodes.map(({ node }) => node),
        undecided: undecided.length,
      });
      longest = Math.max(longest, slices.worked - before);
    }
    return { answers, longest, worked: slices.worked - started };
  };
  return { clock, planOf, searchOf, catalogue };
}

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
