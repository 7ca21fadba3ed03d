import { setTimeout as sleep } from 'node:timers/promises';
import { nodeSeconds, startControlPlane } from './embedded/control-plane.ts';
import { createNodes, createPods, watchPods } from './embedded/load.ts';
import type { VirtualHourFigures } from './embedded/virtual-hour.ts';
import { type Row, rowOf } from './report.ts';
import { messageFrom, startChild, stopChild } from './runtime/children.ts';

const RUNS = 3;
const NODES = 2_000;
const PODS = 20_000;
const WATCHERS = 10;

/** What the embedded cluster promises (issue C). The control plane is `karpenter up`, a process of its own. */
export async function measureEmbedded(): Promise<readonly Row[]> {
  await measureIdle(); // the first start compiles, the others find it done
  const idle = await repeat(measureIdle);
  const writes = await repeat(measureCreation);
  const whole = await repeat(measureScheduling);
  const hours = await repeat(measureVirtualHour);
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
      '1,000 plain pods created and bound, 2,000 nodes',
      's',
      1,
      whole.map((run) => run.secondsPer1000),
    ),
    rowOf(
      '20,000 running pods, 2,000 nodes: RSS',
      'MB',
      700,
      whole.map((run) => run.rssMegabytes),
    ),
    rowOf(
      'a virtual hour of 500 nodes, 5,000 pods, churn',
      's',
      30,
      hours.map((run) => run.wallSeconds),
    ),
  ];
}

async function repeat<T>(measure: () => Promise<T>): Promise<readonly T[]> {
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

/** Pods that wait at a gate: nobody but the API server has work with them. */
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

/** From the first request until the last pod has a node; meanwhile kubelets run what is bound. */
async function measureScheduling(): Promise<{ readonly secondsPer1000: number; readonly rssMegabytes: number }> {
  const plane = await startControlPlane();
  await createNodes(plane.client, NODES);
  const stop = new AbortController();
  const progress = followPods();
  await watchPods(plane.transport, progress.see, stop.signal);
  const started = performance.now();
  await createPods(plane.client, PODS);
  await progress.bound;
  const seconds = (performance.now() - started) / 1000;
  await progress.running;
  await sleep(3000);
  const rssMegabytes = plane.rssMegabytes();
  stop.abort();
  await plane.stop();
  return { secondsPer1000: (seconds / PODS) * 1000, rssMegabytes };
}

/** Counts pods as they get their nodes and as they run. */
function followPods() {
  const bound = Promise.withResolvers<void>();
  const running = Promise.withResolvers<void>();
  const seen = { bound: new Set<string>(), running: new Set<string>() };
  const see = (line: Buffer): void => {
    const { object } = JSON.parse(line.toString()) as { object: Pod };
    const { metadata, spec, status } = object;
    if (spec.nodeName && seen.bound.add(metadata.name).size === PODS) bound.resolve();
    if (status?.phase === 'Running' && seen.running.add(metadata.name).size === PODS) running.resolve();
  };
  return { see, bound: bound.promise, running: running.promise };
}

interface Pod {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}

async function measureVirtualHour(): Promise<VirtualHourFigures> {
  const child = startChild('../embedded/virtual-hour.ts', []);
  try {
    return await messageFrom<VirtualHourFigures>(child);
  } finally {
    await stopChild(child);
  }
}
