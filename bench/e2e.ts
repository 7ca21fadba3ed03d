import { type Contender, type DrainFigures, measureDrainOnLab, measureOnLab } from './e2e/lab.ts';
import { measureScaleOut, type ScaleOutFigures } from './e2e/scale-out.ts';
import { measureStart } from './e2e/start.ts';
import { measureSteadyState } from './e2e/steady-state.ts';
import { buildUpstream } from './e2e/upstream.ts';
import type { VirtualHourFigures } from './e2e/virtual-hour-process.ts';
import type { Demand } from './e2e/workload.ts';
import { type Row, rowOf } from './report.ts';
import { messageFrom, startChild, stopChild } from './runtime/children.ts';

const RUNS = 3;
const BURST: Demand = { name: 'burst', pods: 2_000, cpu: '1', memory: '1Gi', nodeCpu: '16' };
/** 21 pods of 0.75 cores fit on a node with 15.9 allocatable cores. Bursts have 15 pods. */
const FLOOD: Demand = { name: 'flood', pods: 20_000, cpu: '750m', memory: '1Gi', nodeCpu: '16' };

/** In the lab, against upstream (shared design: lab.md): pods of one core and one GiB, on nodes of any size. */
const LAB_DEMANDS: readonly Demand[] = [500, 2_000].map((pods) => ({ name: 'lab', pods, cpu: '1', memory: '1Gi' }));
/** Ten pods of 1.5 cores fit on a node with 15.9 allocatable cores. */
const DRAIN: Demand = { name: 'drain', pods: 2_000, cpu: '1500m', memory: '1Gi', nodeCpu: '16' };
/** The largest ratio to upstream's time. */
const LAB_RATIO = 1.1;

/** What is measured, by the name it can be asked for. */
const PARTS: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  start: measureStarts,
  burst: measureBurst,
  flood: measureFlood,
  steady: measureSteady,
  hour: measureHour,
};

/** The same, on a real control plane and compared with upstream. */
const LAB_PARTS: typeof PARTS = { lab: measureLab, drain: measureDrain };

/**
 * The figures of the whole (issues F and G): the named parts; without names all of them, or all that run on the lab.
 */
export async function measureE2e(names: readonly string[], lab: boolean): Promise<readonly Row[]> {
  const parts = { ...PARTS, ...LAB_PARTS };
  const chosen = names.length > 0 ? names : Object.keys(lab ? LAB_PARTS : PARTS);
  const rows: Row[] = [];
  for (const name of chosen) {
    const part = parts[name];
    if (part === undefined) throw new Error(`no such part: ${name}; there are ${Object.keys(parts).join(', ')}`);
    rows.push(...(await part()));
  }
  return rows;
}

async function measureLab(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const demand of LAB_DEMANDS) {
    const { ours, upstream } = await inTurns((contender) => measureOnLab(contender, demand));
    rows.push(...besideUpstream(`lab, ${demand.pods} pods`, 's', ours, upstream));
  }
  return rows;
}

/**
 * All nodes are drained at once (issue G). The peak of evictions is measured too, because a faster drain must not come
 * from evicting faster than upstream.
 */
async function measureDrain(): Promise<readonly Row[]> {
  const { ours, upstream } = await inTurns((contender) => measureDrainOnLab(contender, DRAIN));
  const rows = (what: string, unit: string, figure: (run: DrainFigures) => number): readonly Row[] =>
    besideUpstream(what, unit, ours.map(figure), upstream.map(figure));
  return [
    ...rows('lab, 200 nodes with 2,000 pods drained', 's', (run) => run.seconds),
    ...rows('  evictions in the busiest second', '/s', (run) => run.evictionsPerSecond),
  ];
}

/** Ours and upstream's take turns, so that both run under the same load of the host. A run takes minutes, so its start is reported. */
async function inTurns<T>(measure: (contender: Contender) => Promise<T>) {
  const path = await buildUpstream();
  const tell = async (contender: Contender): Promise<T> => {
    const figures = await measure(contender);
    process.stderr.write(`${contender.kind}: ${JSON.stringify(figures)}\n`);
    return figures;
  };
  const runs = await repeat(async () => ({
    ours: await tell({ kind: 'ours' }),
    upstream: await tell({ kind: 'upstream', path }),
  }));
  return { ours: runs.map((run) => run.ours), upstream: runs.map((run) => run.upstream) };
}

function besideUpstream(what: string, unit: string, ours: readonly number[], theirs: readonly number[]) {
  const upstream = rowOf(`${what}: upstream`, unit, undefined, theirs);
  const must = Number((upstream.actual * LAB_RATIO).toFixed(1));
  return [upstream, rowOf(`${what}: ours`, unit, must, ours)];
}

async function measureStarts(): Promise<readonly Row[]> {
  const runs = await repeat(measureStart);
  return [
    rowOf(
      'npm start: first node ready',
      's',
      5,
      runs.map((run) => run.firstNodeSeconds),
    ),
    rowOf(
      'npm start: 500 pods run',
      's',
      10,
      runs.map((run) => run.allPodsSeconds),
    ),
  ];
}

async function measureBurst(): Promise<readonly Row[]> {
  return scaleOutRows('2,000 pods', 20, await repeat(() => measureScaleOut(BURST)));
}

async function measureFlood(): Promise<readonly Row[]> {
  return scaleOutRows('20,000 pods', 120, [await measureScaleOut(FLOOD)]);
}

function scaleOutRows(what: string, must: number, runs: readonly ScaleOutFigures[]): readonly Row[] {
  const row = (name: string, unit: string, most: number | undefined, figure: (run: ScaleOutFigures) => number): Row =>
    rowOf(name, unit, most, runs.map(figure));
  return [
    row(`${what} on ${runs[0]?.nodes} nodes: all run`, 's', must, (run) => run.seconds),
    row('  event-loop delay of the controller, p99.9', 'ms', 50, (run) => run.delayMilliseconds),
    row('  CPU time of the controller', 's', undefined, (run) => run.cpuSeconds),
    row('  CPU time of the control plane', 's', undefined, (run) => run.planeCpuSeconds),
  ];
}

async function measureSteady(): Promise<readonly Row[]> {
  const { nodes, peakRssMegabytes, cpuPercent } = await measureSteadyState();
  return [
    rowOf(`20,000 pods pending, then ${nodes} nodes: peak RSS of the controller`, 'MB', 512, [peakRssMegabytes]),
    rowOf('  then 50 pod changes a second: of one core', '%', 15, [cpuPercent]),
  ];
}

async function measureHour(): Promise<readonly Row[]> {
  const child = startChild('../e2e/virtual-hour-process.ts', [], ['--expose-gc']);
  try {
    const { heapMegabytes } = await messageFrom<VirtualHourFigures>(child);
    const [first = Number.NaN] = heapMegabytes;
    const changes = heapMegabytes.map((heap) => Math.abs(heap / first - 1) * 100);
    return [
      rowOf('a virtual hour of churn, 5,000 pods: heap at its start', 'MB', undefined, [first]),
      rowOf('  largest change of the heap, every ten minutes', '%', 5, [Math.max(...changes)]),
    ];
  } finally {
    await stopChild(child);
  }
}

async function repeat<T>(measure: () => Promise<T>): Promise<readonly T[]> {
  const runs: T[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await measure());
  return runs;
}
