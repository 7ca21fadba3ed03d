import { setTimeout as sleep } from 'node:timers/promises';
import { nodeSeconds, startControlPlane } from './embedded/control-plane.ts';
import { createNodes, createPods, watchPods } from './embedded/load.ts';
import type { SchedulingFigures } from './embedded/scheduling.ts';
import type { VirtualHourFigures } from './embedded/virtual-hour.ts';
import { measureBaseline } from './embedded/baseline.ts';
import { type Row, rowOf } from './report.ts';
import { messageFrom, startChild, stopChild } from './runtime/children.ts';

const RUNS = 3;
const NODES = 2_000;
const PODS = 20_000;
const WATCHERS = 10;

/** The figures of the embedded cluster (issue C). The control plane is `karpenter up`, in a process of its own. */
export async function measureEmbedded(): Promise<readonly Row[]> {
  const before = await repeat(measureBaseline);
  await measureIdle(); // the first start compiles, the others find it done
  const idle = await repeat(measureIdle);
  const writes = await repeat(measureCreation);
  const bindings = await repeat(() => measureInChild<SchedulingFigures>('../embedded/scheduling.ts'));
  const loaded = await repeat(measureMemory);
  const hours = await repeat(() => measureInChild<VirtualHourFigures>('../embedded/virtual-hour.ts'));
  const baselines = [...before, ...(await repeat(measureBaseline))];
  return [
    rowOf(
      'start to serving, Node itself left out',
      's',
      0.5,
      idle.map((run) => run.startSeconds),
    ),
    rowOf(
      'idle: RSS',
      'MB',
      130,
      idle.map((run) => run.rssMegabytes),
    ),
    rowOf(
      `1,000 pods created, ${WATCHERS} watchers`,
      's',
      1,
      writes.map((run) => run.secondsPer1000),
    ),
    rowOf(
      '1,000 plain pods bound, 2,000 nodes',
      's',
      1,
      bindings.map((run) => run.secondsPer1000),
    ),
    rowOf(
      '20,000 running pods, 2,000 nodes: RSS',
      'MB',
      700,
      loaded.map((run) => run.rssMegabytes),
    ),
    rowOf(
      'a virtual hour of 500 nodes, 5,000 pods, churn',
      's',
      30,
      hours.map((run) => run.wallSeconds),
    ),
    rowOf('(20,000 pods read and written as JSON, before and after)', 's', undefined, baselines),
  ];
}

async function repeat<T>(measure: () => Promise<T> | T): Promise<readonly T[]> {
  const runs: T[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await measure());
  return runs;
}

async function measureIdle(): Promise<{ readonly startSeconds: number; readonly rssMegabytes: number }> {
  const node = await nodeSeconds();
  const plane = await startControlPlane(3);
  await sleep(3000);
  const rssMegabytes = plane.rssMegabytes();
  await plane.stop();
  return { startSeconds: plane.startSeconds - node, rssMegabytes };
}

/** Pods with a scheduling gate: only the API server has work with them. */
async function measureCreation(): Promise<{ readonly secondsPer1000: number }> {
  const plane = await startControlPlane();
  const stop = new AbortController();
  let seen = 0;
  const done = Promise.withResolvers<void>();
  const count = (): void => {
    if (++seen === WATCHERS * PODS) done.resolve();
  };
  for (let i = 0; i < WATCHERS; i++) await watchPods(plane.transport, count, stop.signal);
  const started = performance.now();
  await createPods(plane.client, PODS, { schedulingGates: [{ name: 'bench/hold' }] });
  await done.promise; // everyone has seen everything
  const seconds = (performance.now() - started) / 1000;
  stop.abort();
  await plane.stop();
  return { secondsPer1000: (seconds / PODS) * 1000 };
}

/** The whole cluster at work: everything is created, bound and run. */
async function measureMemory(): Promise<{ readonly rssMegabytes: number }> {
  const plane = await startControlPlane();
  await createNodes(plane.client, NODES);
  const stop = new AbortController();
  const running = Promise.withResolvers<void>();
  let left = PODS;
  const see = (line: Buffer): void => {
    if (line.includes('"phase":"Running"') && --left === 0) running.resolve();
  };
  await watchPods(plane.transport, see, stop.signal);
  await createPods(plane.client, PODS);
  await running.promise;
  await sleep(3000);
  const rssMegabytes = plane.rssMegabytes();
  stop.abort();
  await plane.stop();
  return { rssMegabytes };
}

async function measureInChild<T>(script: string): Promise<T> {
  const child = startChild(script, []);
  try {
    return await messageFrom<T>(child);
  } finally {
    await stopChild(child);
  }
}
