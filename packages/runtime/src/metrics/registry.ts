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

/** A value that is computed when someone looks. */
export interface LiveSample<L extends string = string> {
  readonly labels: Labels<L>;
  readonly value: number;
}

/** Characters rendered before others get their turn: about a millisecond of work. */
const SLICE = 64 * 1024;

/** What an object that shows nothing costs, in characters of one that does. */
const COST_OF_NOTHING = 64;

const handlerErrors = defineCounter(
  'promhttp_metric_handler_errors_total',
  ['cause'],
  'Internal errors of the metrics endpoint.',
);

/**
 * The numbers behind all definitions used with it. A series exists from its first write, which may be of 0, until it is
 * removed. Every operation on a series is O(1), whatever their number.
 */
export class Metrics {
  readonly #clock: SteadyClock;
  readonly #families = new Map<string, Family>();
  readonly #hooks: (() => void | Promise<void>)[] = [];

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /** Raises a counter, creating it; by 0 to show it before anything has happened. Throws on a negative number. */
  increment<L extends string>(counter: CounterDefinition<L>, labels: Labels<NoInfer<L>>, by = 1): void {
    if (by < 0) throw new RangeError(`counter ${counter.name} cannot decrease in value`);
    this.scalar(counter, labels).value += by;
  }

  set<L extends string>(gauge: GaugeDefinition<L>, labels: Labels<NoInfer<L>>, value: number): void {
    this.scalar(gauge, labels).value = value;
  }

  /** Moves a gauge by a number of either sign, from 0 if it is new. */
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
   * The counter or gauge with these labels, created at 0 if it is new. A caller that writes to one series thousands of
   * times keeps it, which saves building and looking up the label text on each write. Do not keep one that is removed.
   */
  scalar<L extends string>(
    definition: CounterDefinition<L> | GaugeDefinition<L>,
    labels: Labels<NoInfer<L>>,
  ): ScalarSeries {
    return this.#obtain(definition, labels, () => new ScalarSeries());
  }

  /** The histogram with these labels, created empty if it is new; to be kept as `scalar` says. */
  histogram<L extends string>(definition: HistogramDefinition<L>, labels: Labels<NoInfer<L>>): HistogramSeries {
    return this.#obtain(definition, labels, () => new HistogramSeries(definition));
  }

  /** Takes a series off the page; harmless if there is none. */
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
   * Shows on each page what `samples` yields then, next to what else is written under the gauge. For what describes
   * objects that come and go: nothing is kept for them, so nothing is left of them. No labels may come twice. One that
   * looks at many objects yields `undefined` for those that show nothing, so that others get their turn meanwhile.
   */
  expose<L extends string>(gauge: GaugeDefinition<L>, samples: () => Iterable<LiveSample<L> | undefined>): void {
    this.#familyOf(gauge).live.push(samples as Live);
  }

  /** Calls `hook` before each page, to write what is only worth computing when someone looks. */
  collect(hook: () => void | Promise<void>): void {
    this.#hooks.push(hook);
  }

  /**
   * The page, in pieces of which each takes about a millisecond; others get their turn in between. Metrics come by
   * name, those without a series not at all. A hook that throws loses its own update only, and is counted.
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

  /** Lines of text; '' where there is nothing to show. What cannot be computed is missing, and is counted. */
  *#samplesOf({ definition, series, live }: Family, now: number): Generator<string> {
    const { name, labelNames } = definition;
    const present = [...series]; // one that goes and comes back while others have their turn must not appear twice
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

  /** The series of these labels. A family holds series of one kind only: that of its definition. */
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
