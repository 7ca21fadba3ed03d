// A metric's definition is plain data; its values live in a `Metrics`. Define a metric at the top of the file that
// writes it, and never define two with the same name.

/** What all metric definitions have. */
interface Described<L extends string> {
  readonly name: string;
  /** Sorted, in the order in which samples show them. */
  readonly labelNames: readonly L[];
  readonly help: string;
}

/** A number that only increases. The name ends in `_total`. */
export interface CounterDefinition<L extends string = string> extends Described<L> {
  readonly type: 'counter';
}

/** A number that can increase and decrease. */
export interface GaugeDefinition<L extends string = string> extends Described<L> {
  readonly type: 'gauge';
}

/** Counts observations in buckets with upper bounds. */
export interface HistogramDefinition<L extends string = string> extends Described<L> {
  readonly type: 'histogram';
  /** Ascending, without +Inf. */
  readonly bounds: readonly number[];
}

/** Quantiles of recent observations, and the sum and count of all observations. */
export interface SummaryDefinition<L extends string = string> extends Described<L> {
  readonly type: 'summary';
  /** Ascending, each in [0, 1]. */
  readonly quantiles: readonly number[];
}

/** A definition of any type. */
export type MetricDefinition<L extends string = string> =
  | CounterDefinition<L>
  | GaugeDefinition<L>
  | HistogramDefinition<L>
  | SummaryDefinition<L>;

type Names = readonly string[];

/** Defines a counter. The help text is one sentence for the metrics page. */
export function defineCounter<const N extends Names>(
  name: string,
  labelNames: N,
  help: string,
): CounterDefinition<N[number]> {
  return { type: 'counter', ...described(name, labelNames, help) };
}

/** Defines a gauge. */
export function defineGauge<const N extends Names>(
  name: string,
  labelNames: N,
  help: string,
): GaugeDefinition<N[number]> {
  return { type: 'gauge', ...described(name, labelNames, help) };
}

/** Defines a histogram. `bounds` ascend; the +Inf bucket is added automatically. */
export function defineHistogram<const N extends Names>(
  name: string,
  labelNames: N,
  help: string,
  bounds: readonly number[],
): HistogramDefinition<N[number]> {
  if (!ascends(bounds)) throw new Error(`buckets of ${name} do not ascend`);
  return { type: 'histogram', ...described(name, labelNames, help, 'le'), bounds };
}

/** Defines a summary: quantiles over the last ten minutes (see `SummarySeries`). */
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
