// The speed of one consolidation what-if: where a node's pods would go without it (anchors: Consolidation).
import { writeFile } from 'node:fs/promises';
import { messageFrom, startChild, stopChild } from './runtime/children.ts';
import type { WhatIfFigures } from './whatif/whatif-process.ts';

export interface WhatIfOptions {
  /** Where to write the figures. */
  readonly json?: string | undefined;
}

interface Cluster {
  readonly nodes: number;
  /** Upstream's `SimulateScheduling` on two cores (anchors). */
  readonly upstreamMs: number;
  readonly mostMs?: number;
}

const CLUSTERS: readonly Cluster[] = [
  { nodes: 300, upstreamMs: 69 },
  { nodes: 1_000, upstreamMs: 192 },
  { nodes: 2_000, upstreamMs: 410 },
  { nodes: 5_000, upstreamMs: 1_345, mostMs: 2.4 },
];

/** Upstream has no benchmark for this; its figure was measured with a program of ours. */
const STORED = "upstream's figures are stored ones of another machine, so the ratios say nothing exact about this one";

/** Measures all cluster sizes, prints a table, and returns whether all figures are within their bounds. */
export async function run({ json }: WhatIfOptions): Promise<boolean> {
  const rows: (Cluster & WhatIfFigures)[] = [];
  let isGood = true;
  process.stderr.write(`${STORED}\n`);
  print(['nodes', 'pods', 'one what-if', 'mean', 'stored', 'ratio', 'all nodes', 'base', 'peak RSS', 'missed']);
  for (const cluster of CLUSTERS) {
    const figures = await measure(cluster);
    rows.push({ ...cluster, ...figures });
    const missed = cluster.mostMs !== undefined && figures.medianMs > cluster.mostMs;
    isGood &&= !missed;
    print(cells(cluster, figures, missed));
  }
  if (json !== undefined) await writeFile(json, `${JSON.stringify(rows, undefined, 2)}\n`);
  return isGood;
}

async function measure({ nodes }: Cluster): Promise<WhatIfFigures> {
  const child = startChild('../whatif/whatif-process.ts', [String(nodes)]);
  try {
    return await messageFrom<WhatIfFigures>(child);
  } finally {
    await stopChild(child);
  }
}

function cells({ nodes, upstreamMs, mostMs }: Cluster, figures: WhatIfFigures, missed: boolean): readonly string[] {
  const { pods, medianMs, meanMs, baseMs, peakRssMb } = figures;
  return [
    String(nodes),
    String(pods),
    `${medianMs.toFixed(3)} ms`,
    `${meanMs.toFixed(3)} ms`,
    `${upstreamMs} ms`,
    `${(upstreamMs / medianMs).toFixed(0)}×`,
    `${((meanMs * nodes) / 1000).toFixed(2)} s`,
    `${baseMs.toFixed(0)} ms`,
    `${peakRssMb.toFixed(0)} MB`,
    missed ? `more than ${mostMs} ms` : '',
  ];
}

function print(row: readonly string[]): void {
  process.stdout.write(
    `${row
      .map((cell) => cell.padEnd(11))
      .join(' ')
      .trimEnd()}\n`,
  );
}
