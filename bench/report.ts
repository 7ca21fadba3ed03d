/** One figure of a suite: smaller is better. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  /** What it may be at most. */
  readonly must: number;
  /** The median of the runs. */
  readonly actual: number;
  readonly runs: readonly number[];
}

/** The row for figures of several runs, of which the median counts: the machine may have been busy during one. */
export function rowOf(what: string, unit: string, must: number, runs: readonly number[]): Row {
  const sorted = [...runs].sort((a, b) => a - b);
  return { what, unit, must, actual: sorted[sorted.length >> 1] ?? Number.NaN, runs };
}

/** Columns aligned, one row a line, `MISSED` behind those over their bound. */
export function renderTable(rows: readonly Row[]): string {
  const lines = rows.map(({ what, unit, must, actual, runs }) => [
    what,
    `≤ ${must} ${unit}`,
    `${round(actual)} ${unit}`,
    runs.map(round).join(' '),
    actual <= must ? '' : 'MISSED',
  ]);
  const all = [['figure', 'must', 'actual', 'runs', ''], ...lines];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  const render = (line: readonly string[]): string =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${all.map(render).join('\n')}\n`;
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
