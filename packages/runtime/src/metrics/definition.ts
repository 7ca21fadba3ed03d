// A metric's definition is data: what is counted under it lives in a `Metrics`. Define one where it is written to, at
// the top of the file, and never two of the same name.

/** What all kinds of metrics have. */
interface Described<L extends string> {
  readonly name: string;
  /** Sorted, as samples show them. */
  readonly labelNames: readonly L[];
  readonly help: string;
}

/** Only rises. Its name ends in `_total`. */
export interface CounterDefinition<L extends string = string> extends Described<L> {
  readonly type: 'counter';
}

/** Goes up and down. */
export interface GaugeDefinition<L extends string = string> extends Described<L> {
  readonly type: 'gauge';
}

/** Counts observations by upper bounds. */
export interface HistogramDefinition<L extends string = string> extends Described<L> {
  readonly type: 'histogram';
  /** Ascending, without the infinite one. */
  readonly bounds: readonly number[];
}

/** Quantiles of recent observations, with the sum and count of all. */
export interface SummaryDefinition<L extends string = string> extends Described<L> {
  readonly type: 'summary';
  /** Ascending, each from 0 to 1. */
  readonly quantiles: readonly number[];
}

/** Any metric. */
export type MetricDefinition<L extends string = string> =
  | CounterDefinition<L>
  | GaugeDefinition<L>
  | HistogramDefinition<L>
  | SummaryDefinition<L>;

type Names = readonly string[];

/** A number of things that happened. The help text is one sentence for the metrics page. */
export function defineCounter<const N extends Names>(
  name: string,
  labelNames: N,
  help: string,
): CounterDefinition<N[number]> {
  return { type: 'counter', ...described(name, labelNames, help) };
}

/** A number that is as it is now. */
export function defineGauge<const N extends Names>(
  name: string,
  labelNames: N,
  help: string,
): GaugeDefinition<N[number]> {
  return { type: 'gauge', ...described(name, labelNames, help) };
}

/** Sizes or durations by bucket. `bounds` ascend; the infinite bucket is added by itself. */
export function defineHistogram<const N extends Names>(
  name: string,
  labelNames: N,
  help: string,
  bounds: readonly number[],
): HistogramDefinition<N[number]> {
  if (!ascends(bounds)) throw new Error(`buckets of ${name} do not ascend`);
  return { type: 'histogram', ...described(name, labelNames, help, 'le'), bounds };
}

/** Quantiles over the last ten minutes (see `SummarySeries`). */
export function defineSummary<const N extends Names>(
  name: string,
  labelNames: N,
  help: string,
  quantiles: readonly number[],
): SummaryDefinition<N[number]> {
  if (!ascends(quantiles)) throw new Error(`quantiles of ${name} do not ascend`);
  return { type: 'summary', ...described(name, labelNames, help, 'quantile'), quantiles };
}

function described<L extends string>(
  name: string,
  labelNames: readonly L[],
  help: string,
  reserved?: string,
): Described<L> {
  if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) throw new Error(`${JSON.stringify(name)} is no metric name`);
  for (const label of labelNames) {
    const isName = /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label) && !label.startsWith('__');
    if (!isName || label === reserved) throw new Error(`${JSON.stringify(label)} is no label name for ${name}`);
  }
  if (new Set(labelNames).size < labelNames.length) throw new Error(`${name} has a label twice`);
  return { name, labelNames: labelNames.toSorted(), help };
}

function ascends(numbers: readonly number[]): boolean {
  return numbers.every((value, index) => Number.isFinite(value) && (index === 0 || value > numbers[index - 1]!));
}
