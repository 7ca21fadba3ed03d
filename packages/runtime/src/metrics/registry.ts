import type { SteadyClock } from '../steady-clock.ts';
import {
  type CounterDefinition,
  defineCounter,
  type GaugeDefinition,
  type HistogramDefinition,
  type MetricDefinition,
  type SummaryDefinition,
} from './definition.ts';
import { HistogramSeries } from './histogram.ts';
import { type Labels, labelText } from './labels.ts';
import { ScalarSeries, type Series } from './series.ts';
import { SummarySeries } from './summary.ts';
import { familyHeader, OPENMETRICS_END, sampleLine, type TextFormat } from './text-format.ts';

/** A sample that is computed when the page is rendered. */
export interface LiveSample<L extends string = string> {
  readonly labels: Labels<L>;
  readonly value: number;
}

/** Characters rendered in one turn of the event loop: about a millisecond of work. */
const SLICE = 64 * 1024;

/** The cost of an object without a sample, in characters. */
const COST_OF_NOTHING = 64;

const handlerErrors = defineCounter(
  'promhttp_metric_handler_errors_total',
  ['cause'],
  'Internal errors of the metrics endpoint.',
);

/**
 * The values of all metrics. A series exists from its first write, which may be of 0, until it is removed. Every
 * operation on a series costs O(1).
 */
export class Metrics {
  readonly #clock: SteadyClock;
  readonly #families = new Map<string, Family>();
  readonly #hooks: (() => void | Promise<void>)[] = [];

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /**
   * Adds to a counter, which is created if needed; adding 0 shows it before anything has happened. Throws on a negative
   * number.
   */
  increment<L extends string>(counter: CounterDefinition<L>, labels: Labels<NoInfer<L>>, by = 1): void {
    if (by < 0) throw new RangeError(`counter ${counter.name} cannot decrease in value`);
    this.scalar(counter, labels).value += by;
  }

  set<L extends string>(gauge: GaugeDefinition<L>, labels: Labels<NoInfer<L>>, value: number): void {
    this.scalar(gauge, labels).value = value;
  }

  /** Adds a positive or negative number to a gauge, which is created at 0 if needed. */
  add<L extends string>(gauge: GaugeDefinition<L>, labels: Labels<NoInfer<L>>, by: number): void {
    this.scalar(gauge, labels).value += by;
  }

  observe<L extends string>(
    definition: HistogramDefinition<L> | SummaryDefinition<L>,
    labels: Labels<NoInfer<L>>,
    value: number,
  ): void {
    const now = this.#clock.elapsed();
    if (definition.type === 'histogram') {
      this.histogram(definition, labels).observe(value);
    } else {
      this.#obtain(definition, labels, () => new SummarySeries(definition, now)).observe(value, now);
    }
  }

  /**
   * The counter or gauge with these labels, created at 0 if needed. A caller that writes to one series thousands of
   * times should keep it, which saves building and looking up the label text each time. Do not keep a series that is
   * removed.
   */
  scalar<L extends string>(
    definition: CounterDefinition<L> | GaugeDefinition<L>,
    labels: Labels<NoInfer<L>>,
  ): ScalarSeries {
    return this.#obtain(definition, labels, () => new ScalarSeries());
  }

  /** The histogram with these labels, created empty if needed. It may be kept, as described at `scalar`. */
  histogram<L extends string>(definition: HistogramDefinition<L>, labels: Labels<NoInfer<L>>): HistogramSeries {
    return this.#obtain(definition, labels, () => new HistogramSeries(definition));
  }

  /** Removes a series, if there is one. */
  remove<L extends string>(definition: MetricDefinition<L>, labels: Labels<NoInfer<L>>): void {
    this.#families.get(definition.name)?.series.delete(keyOf(definition, labels));
  }

  /** The value of a counter or gauge, or the number of observations; undefined if there is no such series. */
  find<L extends string>(definition: MetricDefinition<L>, labels: Labels<NoInfer<L>>): number | undefined {
    const family = this.#families.get(definition.name);
    const key = keyOf(definition, labels);
    return family?.series.get(key)?.value ?? (family && findLive(family, key));
  }

  /**
   * Adds the samples that `samples` yields at each scrape to the series written under the gauge. Meant for gauges that
   * describe objects which come and go: nothing is stored, so nothing has to be removed. No labels may occur twice. A
   * generator that goes through many objects yields `undefined` for those without a sample, so that the event loop gets
   * its turn.
   */
  expose<L extends string>(gauge: GaugeDefinition<L>, samples: () => Iterable<LiveSample<L> | undefined>): void {
    this.#familyOf(gauge).live.push(samples as Live);
  }

  /** Calls `hook` before each scrape, for values that are only worth computing then. */
  collect(hook: () => void | Promise<void>): void {
    this.#hooks.push(hook);
  }

  /**
   * Renders the page in pieces of about a millisecond of work each, with a turn of the event loop in between. Metrics
   * are sorted by name, and those without a series are left out. If a hook throws, its update is missing and the
   * failure is counted.
   */
  async *render(format: TextFormat): AsyncGenerator<string> {
    await this.#runHooks();
    const now = this.#clock.elapsed();
    let slice = '';
    let costOfNothing = 0;
    for (const family of this.#familiesByName()) {
      let header = familyHeader(family.definition, format);
      for (const lines of this.#samplesOf(family, now)) {
        if (lines === '') {
          costOfNothing += COST_OF_NOTHING;
        } else {
          slice += header + lines;
          header = '';
        }
        if (slice.length + costOfNothing < SLICE) continue;
        if (slice !== '') yield slice;
        slice = '';
        costOfNothing = 0;
        await nextTurn();
      }
    }
    yield format === 'openmetrics' ? slice + OPENMETRICS_END : slice;
  }

  /**
   * The sample lines, '' if there are none. Samples that cannot be computed are left out, and the failure is counted.
   */
  *#samplesOf({ definition, series, live }: Family, now: number): Generator<string> {
    const { name, labelNames } = definition;
    const present = [...series]; // a copy: a series that is removed and added during a pause must not appear twice
    for (const [labels, one] of present) yield one.render(name, labels, now);
    for (const samples of live) {
      try {
        for (const sample of samples()) {
          yield sample === undefined ? '' : sampleLine(name, labelText(labelNames, sample.labels), sample.value);
        }
      } catch {
        this.increment(handlerErrors, { cause: 'gathering' });
      }
    }
  }

  async #runHooks(): Promise<void> {
    for (const hook of this.#hooks) {
      try {
        await hook();
      } catch {
        this.increment(handlerErrors, { cause: 'gathering' });
      }
    }
  }

  #familiesByName(): Family[] {
    const families = [...this.#families.values()].filter(({ series, live }) => series.size > 0 || live.length > 0);
    return families.sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
  }

  /** The series with these labels. All series of a family have the type of its definition. */
  #obtain<L extends string, S extends Series>(definition: MetricDefinition<L>, labels: Labels<L>, create: () => S): S {
    const family = this.#familyOf(definition);
    const key = keyOf(definition, labels);
    const known = family.series.get(key);
    if (known !== undefined) return known as S;
    const created = create();
    family.series.set(key, created);
    return created;
  }

  #familyOf(definition: MetricDefinition): Family {
    let family = this.#families.get(definition.name);
    if (family === undefined) {
      family = { definition, series: new Map(), live: [] };
      this.#families.set(definition.name, family);
    }
    if (family.definition !== definition) throw new Error(`metric ${definition.name} is defined twice`);
    return family;
  }
}

interface Family {
  readonly definition: MetricDefinition;
  readonly series: Map<string, Series>; // by label text
  readonly live: Live[];
}

type Live = () => Iterable<LiveSample | undefined>;

function findLive({ definition, live }: Family, key: string): number | undefined {
  for (const samples of live) {
    for (const sample of samples()) {
      if (sample !== undefined && labelText(definition.labelNames, sample.labels) === key) return sample.value;
    }
  }
  return undefined;
}

function keyOf<L extends string>(definition: MetricDefinition<L>, labels: Labels<L>): string {
  return labelText(definition.labelNames, labels);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
