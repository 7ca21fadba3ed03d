// How long consolidation takes to look at every node of a cluster, beside upstream's own what-if (issue I).
import { writeFile } from 'node:fs/promises';
import { CLUSTERS } from './consolidation/clusters.ts';
import type { Scan } from './consolidation/pass.ts';
import type { ScanFigures } from './consolidation/scan-process.ts';
import { HARD_CLUSTERS } from './consolidation/hard-clusters.ts';
import { findUpstreamScanner, type UpstreamScan, type UpstreamScanner } from './consolidation/upstream.ts';
import { messageFrom, startChild, stopChild } from './runtime/children.ts';

export interface ConsolidationOptions {
  /** Where to write the figures. */
  readonly json?: string | undefined;
  /** Fail if upstream cannot be measured, instead of leaving it out. */
  readonly upstream?: boolean | undefined;
  /** Leave upstream out, which takes minutes. */
  readonly stored?: boolean | undefined;
  /** Which clusters, by their kind or number of nodes; all if none. */
  readonly parts: readonly string[];
}

interface Size {
  readonly kind: string;
  readonly nodes: number;
  /** How many times as fast as upstream, in the same run. */
  readonly mustBeFaster?: number;
  readonly mostSeconds?: number;
  /** The largest ratio to the time of another row. */
  readonly mostRatio?: { readonly to: Pick<Size, 'kind' | 'nodes'>; readonly ratio: number };
  readonly mostMultiNodeMs?: number;
  readonly mostRescanMs?: number;
  readonly mostRssMb?: number;
}

const SIZES: readonly Size[] = [
  { kind: 'synthetic', nodes: 300, mustBeFaster: 100 },
  { kind: 'synthetic', nodes: 1_000, mustBeFaster: 300 },
  { kind: 'synthetic', nodes: 5_000, mostSeconds: 2.7, mostRescanMs: 100, mostMultiNodeMs: 300, mostRssMb: 700 },
  {
    kind: 'synthetic',
    nodes: 15_000,
    mostRatio: { to: { kind: 'synthetic', nodes: 5_000 }, ratio: 4 },
    mostRssMb: 1_536,
  },
  { kind: 'messy', nodes: 1_000, mostRatio: { to: { kind: 'synthetic', nodes: 1_000 }, ratio: 3 } },
  { kind: 'messy', nodes: 5_000, mostRatio: { to: { kind: 'synthetic', nodes: 5_000 }, ratio: 3 }, mostRssMb: 700 },
];

/** Time may grow a little faster than the number of nodes: caches of the processor are what they are. */
const HARD_RATIO = 6;

/** Measured only if asked for as `hard`: that the time grows with the nodes whatever they share, or do not. */
const HARD_SIZES: readonly Size[] = Object.keys(HARD_CLUSTERS).flatMap((kind) => [
  { kind, nodes: 1_000 },
  { kind, nodes: 4_000, mostRatio: { to: { kind, nodes: 1_000 }, ratio: HARD_RATIO } },
]);

const LONGEST_HOLD_MS = 50; // leases are renewed and probes answered meanwhile
/** Upstream's scan of 1,000 nodes takes minutes: what it does in this time is enough to know the mean. */
const UPSTREAM_SECONDS = 60;

/** One line of the file. */
interface ConsolidationRow {
  readonly cluster: Size['kind'];
  readonly nodes: number;
  readonly pods: number;
  readonly candidates: number;
  /** The median of several scans, each of which reads everything again, in a process that has run for a while. */
  readonly scanSeconds: number;
  /** The same as CPU time, which other processes of the host do not prolong. */
  readonly scanCpuSeconds: number;
  /** The first scan of a process. */
  readonly coldScanSeconds: number;
  readonly removable: number;
  readonly replaceable: number;
  /** The second scan of a cluster that has not changed. */
  readonly rescanMs: number;
  /** Of the search for several nodes, which looks at up to 101 candidates at once. */
  readonly multiNodeMs: number;
  readonly longestHoldMs: number;
  readonly upstreamScanSeconds?: number;
  /** How many of upstream's what-ifs that is estimated from. */
  readonly upstreamSimulations?: number;
  readonly peakRssMb: number;
}

/** Measures the clusters, prints a table, and returns whether all figures are within their bounds. */
export async function run(options: ConsolidationOptions): Promise<boolean> {
  const { json, parts } = options;
  const upstream = await obtainUpstream(options);
  print([
    'cluster',
    'candidates',
    'scan',
    'CPU',
    'cold',
    'upstream',
    'ratio',
    'second',
    'multi',
    'held',
    'peak RSS',
    'missed',
  ]);
  const rows: ConsolidationRow[] = [];
  let isGood = true;
  for (const size of chooseSizes(parts)) {
    const theirs = size.mustBeFaster === undefined ? undefined : await scanUpstream(size, upstream);
    const row = toRow(size, await scanInChild(size), theirs);
    const missed = findMisses(size, row, rows);
    rows.push(row);
    isGood &&= missed.length === 0;
    print(cells(row, missed));
  }
  if (json !== undefined) await writeFile(json, `${JSON.stringify(rows, undefined, 2)}\n`);
  return isGood;
}

function chooseSizes(parts: readonly string[]): readonly Size[] {
  if (parts.includes('hard')) return HARD_SIZES;
  const kinds = SIZES.map(({ kind }) => kind);
  const counts = SIZES.map(({ nodes }) => String(nodes));
  const unknown = parts.find((part) => !kinds.includes(part) && !counts.includes(part));
  if (unknown !== undefined) {
    throw new Error(`no such cluster: ${unknown}; there are ${[...new Set([...kinds, ...counts, 'hard'])].join(', ')}`);
  }
  const isChosen = (names: readonly string[], name: string) =>
    !parts.some((part) => names.includes(part)) || parts.includes(name);
  return SIZES.filter(({ kind, nodes }) => isChosen(kinds, kind) && isChosen(counts, String(nodes)));
}

async function obtainUpstream({ upstream, stored }: ConsolidationOptions): Promise<UpstreamScanner | undefined> {
  const found = stored ? ({ kind: 'missing', why: '--stored' } as const) : await findUpstreamScanner();
  if (found.kind === 'here') return found.run;
  if (upstream) throw new Error(`upstream cannot be measured here: ${found.why}`);
  process.stderr.write(`upstream is not measured here, so the ratios to it are not checked: ${found.why}\n`);
  return undefined;
}

async function scanUpstream({ kind, nodes }: Size, upstream?: UpstreamScanner): Promise<UpstreamScan | undefined> {
  return await upstream?.(CLUSTERS[kind]!(nodes), UPSTREAM_SECONDS);
}

async function scanInChild({ kind, nodes }: Size): Promise<ScanFigures> {
  const child = startChild('../consolidation/scan-process.ts', [kind, String(nodes)]);
  try {
    return await messageFrom<ScanFigures>(child);
  } finally {
    await stopChild(child);
  }
}

function toRow({ kind, nodes }: Size, figures: ScanFigures, upstream: UpstreamScan | undefined): ConsolidationRow {
  const { pods, coldScan, scans, rescans, multiNode, longestHoldMs, peakRssMb } = figures;
  const medianSeconds = (figure: (scan: Scan) => number) => median(scans.map(figure)) / 1000;
  return {
    cluster: kind,
    nodes,
    pods,
    candidates: coldScan.candidates,
    scanSeconds: medianSeconds(({ totalMs }) => totalMs),
    scanCpuSeconds: medianSeconds(({ cpuMs }) => cpuMs),
    coldScanSeconds: coldScan.totalMs / 1000,
    removable: coldScan.removable,
    replaceable: coldScan.replaceable,
    rescanMs: median(rescans.map(({ totalMs }) => totalMs)),
    multiNodeMs: median(multiNode.map(({ searchMs }) => searchMs)),
    longestHoldMs,
    ...(upstream && { upstreamScanSeconds: upstream.scanSeconds, upstreamSimulations: upstream.simulations }),
    peakRssMb,
  };
}

function findMisses(size: Size, row: ConsolidationRow, before: readonly ConsolidationRow[]): readonly string[] {
  const {
    mustBeFaster = 0,
    mostSeconds = Infinity,
    mostRatio,
    mostRescanMs = Infinity,
    mostMultiNodeMs = Infinity,
    mostRssMb = Infinity,
  } = size;
  const { scanSeconds, upstreamScanSeconds = Infinity, rescanMs, multiNodeMs, longestHoldMs, peakRssMb } = row;
  const other = before.find(({ cluster, nodes }) => cluster === mostRatio?.to.kind && nodes === mostRatio.to.nodes);
  const isSlow = mostRatio !== undefined && other !== undefined && scanSeconds > mostRatio.ratio * other.scanSeconds;
  return [
    ...(upstreamScanSeconds < mustBeFaster * scanSeconds ? [`less than ${mustBeFaster}×`] : []),
    ...(scanSeconds > mostSeconds ? [`more than ${mostSeconds} s`] : []),
    ...(isSlow ? [`more than ${mostRatio.ratio}× ${mostRatio.to.kind} ${mostRatio.to.nodes}`] : []),
    ...(rescanMs > mostRescanMs ? [`second scan more than ${mostRescanMs} ms`] : []),
    ...(multiNodeMs > mostMultiNodeMs ? [`multi-node more than ${mostMultiNodeMs} ms`] : []),
    ...(longestHoldMs > LONGEST_HOLD_MS ? [`held over ${LONGEST_HOLD_MS} ms`] : []),
    ...(peakRssMb > mostRssMb ? [`more than ${mostRssMb} MB`] : []),
  ];
}

function cells(row: ConsolidationRow, missed: readonly string[]): readonly string[] {
  const { upstreamScanSeconds, scanSeconds } = row;
  return [
    `${row.cluster} ${row.nodes}`,
    String(row.candidates),
    `${scanSeconds.toFixed(3)} s`,
    `${row.scanCpuSeconds.toFixed(3)} s`,
    `${row.coldScanSeconds.toFixed(3)} s`,
    upstreamScanSeconds === undefined ? '' : `${upstreamScanSeconds.toFixed(1)} s`,
    upstreamScanSeconds === undefined ? '' : `${(upstreamScanSeconds / scanSeconds).toFixed(0)}×`,
    `${row.rescanMs.toFixed(0)} ms`,
    `${row.multiNodeMs.toFixed(0)} ms`,
    `${row.longestHoldMs.toFixed(1)} ms`,
    `${row.peakRssMb.toFixed(0)} MB`,
    missed.join(', '),
  ];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function print([first = '', ...rest]: readonly string[]): void {
  const line = [first.padEnd(16), ...rest.map((cell) => cell.padEnd(10))].join(' ');
  process.stdout.write(`${line.trimEnd()}\n`);
}
