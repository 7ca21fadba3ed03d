// What nodes cost (issue E): cost-aware plans compared with upstream's, and with lower bounds of the cost.
import { writeFile } from 'node:fs/promises';
import { loadPlanned, moneyFleets } from './money/fleets.ts';
import { buysTheSame, referenceFleet } from './money/linear-prices.ts';
import { type Bought, DEFAULTS, measureFleet, type MoneyFigures, planWith, timesOf } from './money/measurement.ts';
import { isMet, type Row, renderTable, rowOf } from './report.ts';

export interface MoneyOptions {
  /** Where to write the figures. */
  readonly json?: string | undefined;
  /** Of the first random fleet of each kind. */
  readonly seed?: number | undefined;
  /** How many random fleets, half of them mixed. */
  readonly fleets?: number | undefined;
}

/** The fleet for which the price by number of nodes is shown, and how many more nodes than upstream's plan it may have. */
const CURVE_FLEET = 'plain-2000-103';
const CURVE: readonly number[] = [0, 0.06, 0.12, 0.25, 0.5, 1, 2, 4, Number.POSITIVE_INFINITY];

/** How often the reference benchmark is timed: single runs differ by more than the time that is measured. */
const LINEAR_RUNS = 20;

/** Plans all fleets, prints a line for each and the summary, and returns whether the figures are within their bounds. */
export async function run({ json, seed = 1, fleets: count = 50 }: MoneyOptions): Promise<boolean> {
  print([
    'fleet',
    'pods',
    'types',
    'upstream',
    'cost-aware',
    'ratio',
    'any nodes',
    'bound',
    'over it',
    'extra',
    'step',
  ]);
  const fleets: MoneyFigures[] = [];
  for (const fleet of moneyFleets(seed, count)) {
    fleets.push(await measureFleet(fleet));
    print(cells(fleets.at(-1)!));
  }
  const curve = measureCurve();
  process.stdout.write(`\n${CURVE_FLEET}: ${curve.map(bought).join(', ')}\n\n`);
  const rows = [...rowsOf(fleets), ...linearRows(seed)];
  process.stdout.write(renderTable(rows));
  if (json !== undefined) {
    await writeFile(json, `${JSON.stringify({ suite: 'money', rows, fleets, curve }, undefined, 2)}\n`);
  }
  return rows.every(isMet);
}

/** The cheapest plan of one fleet for each allowed number of nodes, the smallest number first. */
function measureCurve(): readonly Bought[] {
  const { fleet } = loadPlanned(CURVE_FLEET);
  return CURVE.map((maxExtraNodes) => {
    const { newNodes, pricePerHour } = planWith(fleet, { ...DEFAULTS, minGain: 0, maxExtraNodes });
    return { nodes: newNodes.length, pricePerHour };
  });
}

function rowsOf(fleets: readonly MoneyFigures[]): readonly Row[] {
  const dearer = fleets.filter(({ costAware, policyUpstream }) => costAware.pricePerHour > policyUpstream.pricePerHour);
  const dearerThanUpstreams = fleets.filter((one) => one.costAware.pricePerHour > one.upstreamPrice * 1.01);
  const ratios = (kind: MoneyFigures['kind']) =>
    fleets.filter((one) => one.kind === kind).map((one) => one.costAware.pricePerHour / one.upstreamPrice);
  const overBound = fleets.flatMap(({ lowerBound, pods, unlimited }) =>
    lowerBound === undefined || pods < 300 ? [] : [unlimited.pricePerHour / lowerBound],
  );
  const paces = fleets.map(({ extraMs, pods }) => (extraMs / pods) * 2);
  return [
    rowOf('fleets dearer than by policy Upstream', 'fleets', 0, [dearer.length]),
    rowOf("fleets dearer than 1.01 × upstream's own plan", 'fleets', 0, [dearerThanUpstreams.length]),
    rowOf('mean price, plain fleets', '× upstream', 0.85, [mean(ratios('plain'))]),
    rowOf('mean price, mixed fleets', '× upstream', 0.85, [mean(ratios('mixed'))]),
    rowOf('any number of nodes, plain, ≥ 300 pods: dearest', '× bound', 1.1, [Math.max(...overBound)]),
    rowOf('any number of nodes, plain, ≥ 300 pods: mean', '× bound', 1.1, [mean(overBound)]),
    rowOf('time on top of policy Upstream, all fleets', 's per 2,000 pods', 1, [
      (sum(fleets.map(({ extraMs }) => extraMs)) / sum(fleets.map(({ pods }) => pods))) * 2,
    ]),
    rowOf('time on top of policy Upstream, slowest fleet', 's per 2,000 pods', 1, [Math.max(...paces)]),
    rowOf('longest step', 'ms', 50, [Math.max(...fleets.map(({ longestStepMs }) => longestStepMs))]),
  ];
}

/** With prices linear in size the plan must equal upstream's, at almost no additional time. */
function linearRows(seed: number): readonly Row[] {
  const fleet = referenceFleet(2_000, seed);
  const differs = !buysTheSame(planWith(fleet, undefined), planWith(fleet, DEFAULTS));
  const { extraMs } = timesOf(fleet, LINEAR_RUNS);
  return [
    rowOf('linear prices, reference benchmark: plans that differ', 'plans', 0, [Number(differs)]),
    rowOf('linear prices, reference benchmark: time on top', 'ms per 2,000 pods', 5, [extraMs]),
  ];
}

function cells(figures: MoneyFigures): readonly string[] {
  const { fleet, pods, types, policyUpstream, costAware, upstreamPrice, unlimited, lowerBound } = figures;
  return [
    fleet,
    String(pods),
    String(types),
    bought(policyUpstream),
    bought(costAware),
    (costAware.pricePerHour / upstreamPrice).toFixed(3),
    bought(unlimited),
    lowerBound?.toFixed(2) ?? '',
    lowerBound === undefined ? '' : (unlimited.pricePerHour / lowerBound).toFixed(3),
    `${figures.extraMs.toFixed(0)} ms`,
    `${figures.longestStepMs.toFixed(0)} ms`,
  ];
}

function bought({ nodes, pricePerHour }: Bought): string {
  return `$${pricePerHour.toFixed(2)} (${nodes})`;
}

const WIDTHS = [18, 5, 6, 15, 15, 6, 15, 7, 8, 8];

function print(row: readonly string[]): void {
  process.stdout.write(
    `${row
      .map((cell, column) => cell.padEnd(WIDTHS[column] ?? 0))
      .join(' ')
      .trimEnd()}\n`,
  );
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
