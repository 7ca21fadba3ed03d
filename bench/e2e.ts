import { measureOnLab } from './e2e/lab.ts';
import { measureScaleOut, type ScaleOutFigures } from './e2e/scale-out.ts';
import { measureStart } from './e2e/start.ts';
import { measureSteadyState } from './e2e/steady-state.ts';
import { buildUpstream } from './e2e/upstream.ts';
import type { VirtualHourFigures } from './e2e/virtual-hour-process.ts';
import type { Demand } from './e2e/workload.ts';
import { type Row, rowOf } from './report.ts';
import { messageFrom, startChild, stopChild } from './runtime/children.ts';

const RUNS = 3;
const BURST: Demand = { name: 'burst', pods: 2_000, cpu: '1', memory: '1Gi' };
/** 21 pods a node: 0.75 of 15.9 cores each. */
const FLOOD: Demand = { name: 'flood', pods: 20_000, cpu: '750m', memory: '1Gi', nodeCpu: '16' };

/** In the lab, against upstream (shared design: lab.md): pods of one core and one GiB, on nodes of any size. */
const LAB_DEMANDS: readonly Demand[] = [500, 2_000].map((pods) => ({ name: 'lab', pods, cpu: '1', memory: '1Gi' }));
/** How many times as long as upstream it may take. */
const LAB_RATIO = 1.1;

/** What is measured, by the name it can be asked for. */
const PARTS: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  start: measureStarts,
  burst: measureBurst,
  flood: measureFlood,
  steady: measureSteady,
  hour: measureHour,
};

/** What the whole promises (issue F): the named parts, all of them if none is named; with `lab`, that beside upstream. */
export async function measureE2e(names: readonly string[], lab: boolean): Promise<readonly Row[]> {
  const chosen = names.length === 0 && !lab ? Object.keys(PARTS) : names;
  const rows: Row[] = [];
  for (const name of chosen) {
    const part = PARTS[name];
    if (part === undefined) throw new Error(`no such part: ${name}; there are ${Object.keys(PARTS).join(', ')}`);
    rows.push(...(await part()));
  }
  return lab ? [...rows, ...(await measureLab())] : rows;
}

/** Ours and upstream's take turns, so that both meet the machine in the same moods. */
async function measureLab(): Promise<readonly Row[]> {
  const path = await buildUpstream();
  const rows: Row[] = [];
  for (const demand of LAB_DEMANDS) {
    const runs = await repeat(async () => ({
      ours: await measureOnLab({ kind: 'ours' }, demand),
      upstream: await measureOnLab({ kind: 'upstream', path }, demand),
    }));
    const upstream = rowOf(
      `lab, ${demand.pods} pods: upstream`,
      's',
      undefined,
      runs.map((run) => run.upstream),
    );
    const must = Number((upstream.actual * LAB_RATIO).toFixed(1));
    rows.push(
      upstream,
      rowOf(
        `lab, ${demand.pods} pods: ours`,
        's',
        must,
        runs.map((run) => run.ours),
      ),
    );
  }
  return rows;
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
  const runs = await repeat(() => measureScaleOut(BURST));
  return [
    rowOf(
      `2,000 pods on ${runs[0]?.nodes} nodes: all run`,
      's',
      20,
      runs.map((run) => run.seconds),
    ),
    delayRow(runs),
  ];
}

async function measureFlood(): Promise<readonly Row[]> {
  const run = await measureScaleOut(FLOOD);
  return [rowOf(`20,000 pods on ${run.nodes} nodes: all run`, 's', 120, [run.seconds]), delayRow([run])];
}

function delayRow(runs: readonly ScaleOutFigures[]): Row {
  return rowOf(
    '  event-loop delay of the controller, p99.9',
    'ms',
    50,
    runs.map((run) => run.delayMilliseconds),
  );
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
