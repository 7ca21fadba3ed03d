// Consolidation of a cluster that has lost half its pods, on a real control plane beside upstream (issue I).
import { measureShrink, type ShrinkFigures } from './e2e/shrink.ts';
import type { Contender } from './e2e/lab.ts';
import { buildUpstream } from './e2e/upstream.ts';
import type { Demand } from './e2e/workload.ts';
import { type Row, rowOf } from './report.ts';

/** Ten pods of 1.5 cores fit on a node with 15.9 allocatable cores: 300 nodes. */
const DEMAND: Demand = { name: 'shrink', pods: 3_000, cpu: '1500m', memory: '1Gi', nodeCpu: '16' };
/** A run takes minutes. */
const RUNS = 1;
/** Measured times and prices differ a little from run to run. */
const TOLERANCE = 1.02;
/** The part of upstream's time with many commands per pass. */
const MANY_COMMANDS_RATIO = 0.5;
const MANY_COMMANDS = { CONSOLIDATION_COMMANDS_PER_PASS: '20' };

/** Measures upstream, ours by default, and ours with many commands per pass, in turns under the same load of the host. */
export async function measureShrinking(): Promise<readonly Row[]> {
  const path = await buildUpstream();
  const [upstream, ours, many]: [ShrinkFigures[], ShrinkFigures[], ShrinkFigures[]] = [[], [], []];
  for (let run = 0; run < RUNS; run++) {
    upstream.push(await measure({ kind: 'upstream', path }));
    ours.push(await measure({ kind: 'ours' }));
    many.push(await measure({ kind: 'ours', settings: MANY_COMMANDS }));
  }
  const row = (what: string, unit: string, runs: readonly ShrinkFigures[], figure: Figure, must?: number): Row =>
    rowOf(what, unit, must, runs.map(figure));
  const theirTime = row('300 nodes, half their pods: upstream', 's', upstream, seconds);
  const theirPrice = row('  price at the end: upstream', '$/h', upstream, price);
  return [
    theirTime,
    row('  ours', 's', ours, seconds, theirTime.actual * TOLERANCE),
    row('  ours, 20 commands per pass', 's', many, seconds, theirTime.actual * MANY_COMMANDS_RATIO),
    theirPrice,
    row('  ours', '$/h', ours, price, theirPrice.actual * TOLERANCE),
    row('  ours, 20 commands per pass', '$/h', many, price, theirPrice.actual * TOLERANCE),
    row('  evictions: upstream', 'pods', upstream, evictions),
    row('  ours', 'pods', ours, evictions),
    row('  ours, 20 commands per pass', 'pods', many, evictions),
  ];
}

type Figure = (figures: ShrinkFigures) => number;
const seconds: Figure = (figures) => figures.seconds;
const price: Figure = ({ pricePerHourAfter }) => pricePerHourAfter;
const evictions: Figure = (figures) => figures.evictions;

async function measure(contender: Contender): Promise<ShrinkFigures> {
  const figures = await measureShrink(contender, DEMAND);
  const settings = contender.kind === 'ours' ? (contender.settings ?? {}) : {};
  process.stderr.write(`${JSON.stringify({ contender: contender.kind, settings, ...figures })}\n`);
  return figures;
}
