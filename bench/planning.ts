// Our planner compared with upstream's own benchmark (issue D): speed, number of nodes, memory.
import { writeFile } from 'node:fs/promises';
import type { PlanningFigures } from './planning/measurement.ts';
import { findUpstream, type UpstreamBenchmark } from './planning/upstream.ts';
import { chooseWorkloads, WORKLOADS, type Workload } from './planning/workloads.ts';
import { messageFrom, startChild, stopChild } from './runtime/children.ts';

export interface PlanningOptions {
  /** Where to write the figures. */
  readonly json?: string | undefined;
  /** Fail if upstream cannot be measured, instead of using stored figures. */
  readonly upstream?: boolean | undefined;
  /** Use stored figures, even if upstream could be measured, which takes some minutes. */
  readonly stored?: boolean | undefined;
  readonly seed?: number | undefined;
  /** Which workloads, by their size or mix; all if none. */
  readonly parts: readonly string[];
}

/** Upstream's pace, and whether it was measured in this run or stored from another host. */
interface UpstreamPace {
  readonly podsPerSecond: number;
  readonly source: 'here' | 'stored';
}

/** One line of the file. */
interface PlanningRow {
  readonly mix: Workload['mix'];
  readonly policy: Workload['policy'];
  readonly pods: number;
  readonly nodes: number;
  readonly pricePerHour: number;
  readonly podsPerSecond: number;
  readonly upstreamPodsPerSecond?: number;
  readonly upstreamSource?: UpstreamPace['source'];
  readonly peakRssMb: number;
}

const MOST_RSS_MB = 400; // at 20,000 pods
const LONGEST_STEP_MS = 50; // no host's event loop is to wait longer
const SLOWEST_PACE = 2 / 3; // of the one at 1,000 pods, from there to 50,000

/**
 * Upstream's smaller benchmarks take only seconds, so the median of several runs is used. One run of the others is
 * enough.
 */
const UPSTREAM_RUNS = 3;
const MOST_PODS_OF_SEVERAL_RUNS = 1_000;

/** Measures the workloads, prints a table, and returns whether all figures are within their bounds. */
export async function run(options: PlanningOptions): Promise<boolean> {
  const { json, seed = 42, parts } = options;
  const workloads = chooseWorkloads(parts);
  const benchmark = await obtainUpstream(options);
  print(HEADER);
  const rows: PlanningRow[] = [];
  let isGood = true;
  for (const workload of workloads) {
    const index = WORKLOADS.indexOf(workload);
    const upstream = await upstreamPaceOf(workload, benchmark); // just before ours: the host is as busy for both
    const speed = await inChild<PlanningFigures>('speed', index, seed);
    const figures = { ...speed, peakRssMb: await inChild<number>('memory', index, seed) };
    rows.push(toRow(workload, figures, upstream));
    const missed = findMisses(workload, figures, upstream);
    isGood &&= missed.length === 0;
    print(cells(workload, figures, upstream, missed));
  }
  if (json !== undefined) await writeFile(json, `${JSON.stringify(rows, undefined, 2)}\n`);
  return isGood;
}

/** Upstream's benchmark, to run in turns with ours; undefined with a message if it cannot run. */
async function obtainUpstream({ upstream, stored }: PlanningOptions): Promise<UpstreamBenchmark | undefined> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const found = stored ? ({ kind: 'missing', why: '--stored' } as const) : await findUpstream(say);
  if (found.kind === 'here') return found.benchmark;
  if (upstream) throw new Error(`upstream cannot be measured here: ${found.why}`);
  say(`upstream is not measured here: ${found.why}`);
  say('Its figures are stored ones of another machine, so the ratios say nothing exact about this one.');
  return undefined;
}

async function upstreamPaceOf(
  { pods, upstreamBenchmark, upstreamPodsPerSecond }: Workload,
  benchmark: UpstreamBenchmark | undefined,
): Promise<UpstreamPace | undefined> {
  if (upstreamPodsPerSecond === undefined || upstreamBenchmark === undefined) return undefined;
  if (benchmark === undefined) return { podsPerSecond: upstreamPodsPerSecond, source: 'stored' };
  const runs = pods <= MOST_PODS_OF_SEVERAL_RUNS ? UPSTREAM_RUNS : 1;
  return { podsPerSecond: await benchmark.measure(upstreamBenchmark, runs), source: 'here' };
}

async function inChild<T>(what: 'speed' | 'memory', index: number, seed: number): Promise<T> {
  const child = startChild('../planning/planning-process.ts', [what, String(index), String(seed)]);
  try {
    return await messageFrom<T>(child);
  } finally {
    await stopChild(child);
  }
}

function toRow({ mix, policy, pods }: Workload, figures: PlanningFigures, upstream?: UpstreamPace): PlanningRow {
  const { nodes, pricePerHour, podsPerSecond, peakRssMb } = figures;
  return {
    mix,
    policy,
    pods,
    nodes,
    pricePerHour,
    podsPerSecond,
    ...(upstream && { upstreamPodsPerSecond: upstream.podsPerSecond, upstreamSource: upstream.source }),
    peakRssMb,
  };
}

function findMisses(
  { mix, pods, mostNodes, mustBeFaster = 0 }: Workload,
  { nodes, unplaced, podsPerSecond, paceAtThousand, peakRssMb, longestStepMs }: PlanningFigures,
  upstream: UpstreamPace | undefined,
): readonly string[] {
  const isLong = mix === 'diverse' && pods > 1_000;
  return [
    ...(unplaced > 0 ? [`${unplaced} pods unplaced`] : []),
    ...(nodes > mostNodes ? [`more than ${mostNodes} nodes`] : []),
    ...(podsPerSecond < mustBeFaster * (upstream?.podsPerSecond ?? 0) ? [`less than ${mustBeFaster}×`] : []),
    ...(isLong && podsPerSecond < SLOWEST_PACE * paceAtThousand ? ['pace falls'] : []),
    ...(longestStepMs > LONGEST_STEP_MS ? [`a step over ${LONGEST_STEP_MS} ms`] : []),
    ...(pods === 20_000 && peakRssMb > MOST_RSS_MB ? [`more than ${MOST_RSS_MB} MB`] : []),
  ];
}

function cells(
  { mix, policy, pods }: Workload,
  figures: PlanningFigures,
  upstream: UpstreamPace | undefined,
  missed: readonly string[],
): readonly string[] {
  return [
    `${pods} ${mix}${mix === 'preferences' ? ` ${policy}` : ''}`,
    figures.podsPerSecond.toFixed(0),
    figures.paceAtThousand.toFixed(0),
    figures.firstPodsPerSecond.toFixed(0),
    upstream === undefined ? '' : `${upstream.podsPerSecond.toFixed(0)} (${upstream.source})`,
    upstream === undefined ? '' : `${(figures.podsPerSecond / upstream.podsPerSecond).toFixed(1)}×`,
    String(figures.nodes),
    figures.pricePerHour.toFixed(2),
    `${figures.peakRssMb.toFixed(0)} MB`,
    `${figures.longestStepMs.toFixed(1)} ms`,
    missed.join(', '),
  ];
}

const HEADER = [
  'workload',
  'pods/s',
  'at 1,000',
  'first run',
  'upstream',
  'ratio',
  'nodes',
  '$/h',
  'peak RSS',
  'longest step',
  'missed',
];
const WIDTHS = [24, 9, 9, 10, 15, 8, 6, 9, 9, 13];

function print(row: readonly string[]): void {
  const line = row.map((cell, column) => cell.padEnd(WIDTHS[column] ?? 0)).join(' ');
  process.stdout.write(`${line.trimEnd()}\n`);
}
