// The planner against upstream's own benchmark (issue D): how fast, how many nodes, how much memory.
import { writeFile } from 'node:fs/promises';
import type { PlanningFigures } from './planning/measurement.ts';
import { measureUpstream } from './planning/upstream.ts';
import { WORKLOADS, type Workload } from './planning/workloads.ts';
import { messageFrom, startChild, stopChild } from './runtime/children.ts';

export interface PlanningOptions {
  /** Where to write the figures. */
  readonly json?: string | undefined;
  /** Measure upstream here and now instead of taking the figures of lab.md; needs Go. */
  readonly upstream?: boolean | undefined;
  readonly seed?: number | undefined;
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
  readonly peakRssMb: number;
}

const MOST_RSS_MB = 400; // at 20,000 pods
const LONGEST_STEP_MS = 50; // no host's event loop is to wait longer
const SLOWEST_PACE = 2 / 3; // of the one at 1,000 pods, from there to 50,000

/** Measures every workload, prints a table, and says whether all of it is as good as it must be. */
export async function run({ json, upstream = false, seed = 42 }: PlanningOptions): Promise<boolean> {
  const measured = upstream
    ? await measureUpstream(WORKLOADS.flatMap((one) => one.upstreamBenchmark ?? []))
    : new Map();
  const source = upstream ? 'upstream (measured)' : 'upstream (lab.md)';
  print([
    'workload',
    'pods/s',
    'at 1,000',
    'first run',
    source,
    'ratio',
    'nodes',
    '$/h',
    'peak RSS',
    'longest step',
    'missed',
  ]);
  const rows: PlanningRow[] = [];
  let isGood = true;
  for (const [index, workload] of WORKLOADS.entries()) {
    const figures = await inChild<PlanningFigures>('speed', index, seed);
    const peakRssMb = await inChild<number>('memory', index, seed);
    const upstreamPace = measured.get(workload.upstreamBenchmark ?? '') ?? workload.upstreamPodsPerSecond;
    rows.push(toRow(workload, { ...figures, peakRssMb }, upstreamPace));
    const missed = findMisses(workload, { ...figures, peakRssMb }, upstreamPace);
    isGood &&= missed.length === 0;
    print(cells(workload, { ...figures, peakRssMb }, upstreamPace, missed));
  }
  if (json !== undefined) await writeFile(json, `${JSON.stringify(rows, undefined, 2)}\n`);
  return isGood;
}

async function inChild<T>(what: 'speed' | 'memory', index: number, seed: number): Promise<T> {
  const child = startChild('../planning/planning-process.ts', [what, String(index), String(seed)]);
  try {
    return await messageFrom<T>(child);
  } finally {
    await stopChild(child);
  }
}

function toRow({ mix, policy, pods }: Workload, figures: PlanningFigures, upstreamPace?: number): PlanningRow {
  const { nodes, pricePerHour, podsPerSecond, peakRssMb } = figures;
  return {
    mix,
    policy,
    pods,
    nodes,
    pricePerHour,
    podsPerSecond,
    ...(upstreamPace !== undefined && { upstreamPodsPerSecond: upstreamPace }),
    peakRssMb,
  };
}

function findMisses(
  { mix, pods, mostNodes, mustBeFaster = 0 }: Workload,
  { nodes, unplaced, podsPerSecond, paceAtThousand, peakRssMb, longestStepMs }: PlanningFigures,
  upstreamPace: number | undefined,
): readonly string[] {
  const isLong = mix === 'diverse' && pods > 1_000;
  return [
    ...(unplaced > 0 ? [`${unplaced} pods unplaced`] : []),
    ...(nodes > mostNodes ? [`more than ${mostNodes} nodes`] : []),
    ...(podsPerSecond < mustBeFaster * (upstreamPace ?? 0) ? [`less than ${mustBeFaster}×`] : []),
    ...(isLong && podsPerSecond < SLOWEST_PACE * paceAtThousand ? ['pace falls'] : []),
    ...(longestStepMs > LONGEST_STEP_MS ? [`a step over ${LONGEST_STEP_MS} ms`] : []),
    ...(pods === 20_000 && peakRssMb > MOST_RSS_MB ? [`more than ${MOST_RSS_MB} MB`] : []),
  ];
}

function cells(
  { mix, policy, pods }: Workload,
  figures: PlanningFigures,
  upstreamPace: number | undefined,
  missed: readonly string[],
): readonly string[] {
  return [
    `${pods} ${mix}${mix === 'preferences' ? ` ${policy}` : ''}`,
    figures.podsPerSecond.toFixed(0),
    figures.paceAtThousand.toFixed(0),
    figures.firstPodsPerSecond.toFixed(0),
    upstreamPace?.toFixed(0) ?? '',
    upstreamPace === undefined ? '' : `${(figures.podsPerSecond / upstreamPace).toFixed(1)}×`,
    String(figures.nodes),
    figures.pricePerHour.toFixed(2),
    `${figures.peakRssMb.toFixed(0)} MB`,
    `${figures.longestStepMs.toFixed(1)} ms`,
    missed.join(', '),
  ];
}

const WIDTHS = [24, 9, 9, 10, 20, 8, 6, 9, 9, 13];

function print(row: readonly string[]): void {
  const line = row.map((cell, column) => cell.padEnd(WIDTHS[column] ?? 0)).join(' ');
  process.stdout.write(`${line.trimEnd()}\n`);
}
