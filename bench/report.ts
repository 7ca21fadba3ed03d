/** One figure of a suite: smaller is better. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  /** The upper bound; undefined for a baseline, which shows how fast the host was during the run. */
  readonly must?: number;
  /** The median of the runs. */
  readonly actual: number;
  readonly runs: readonly number[];
}

/** A row with the median of several runs, because the host may have been busy during one. */
export function rowOf(what: string, unit: string, must: number | undefined, runs: readonly number[]): Row {
  const sorted = [...runs].sort((a, b) => a - b);
  const actual = sorted[sorted.length >> 1] ?? Number.NaN;
  return { what, unit, ...(must === undefined ? {} : { must }), actual, runs };
}

/** Whether a figure is within its bound; a baseline always is. */
export function isMet({ actual, must = Number.POSITIVE_INFINITY }: Row): boolean {
  return actual <= must;
}

/** Aligned columns, one row per line, `MISSED` after rows that exceed their bound. */
export function renderTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.what,
    row.must === undefined ? '' : `≤ ${row.must} ${row.unit}`,
    `${round(row.actual)} ${row.unit}`,
    row.runs.map(round).join(' '),
    isMet(row) ? '' : 'MISSED',
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
