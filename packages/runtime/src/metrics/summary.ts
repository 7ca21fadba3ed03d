import { MINUTE } from '../clock.ts';
import type { SummaryDefinition } from './definition.ts';
import { joinLabels } from './labels.ts';
import { QuantileSketch } from './quantile-sketch.ts';
import type { Series } from './series.ts';
import { formatFloat, sampleLine } from './text-format.ts';

/** Observations count for ten minutes, in five age buckets (spec 05 §4.1, the defaults of Prometheus' Go client). */
const AGE_BUCKETS = 5;
const BUCKET_WIDTH = 2 * MINUTE;

/** Quantiles of the last eight to ten minutes; sum and count of all observations. */
export class SummarySeries implements Series {
  readonly #quantiles: readonly number[];
  readonly #start: number; // elapsed milliseconds, like every `now` here
  #ages: readonly QuantileSketch[] = [new QuantileSketch()]; // oldest first, at most AGE_BUCKETS
  #newest = 0; // the index of the last bucket, counted from #start
  #sum = 0;
  #count = 0;

  constructor({ quantiles }: SummaryDefinition, now: number) {
    this.#quantiles = quantiles;
    this.#start = now;
  }

  get value(): number {
    return this.#count;
  }

  observe(value: number, now: number): void {
    this.#forget(now);
    this.#ages.at(-1)!.add(value);
    this.#sum += value;
    this.#count++;
  }

  render(name: string, labels: string, now: number): string {
    this.#forget(now);
    const values = QuantileSketch.quantiles(this.#ages, this.#quantiles);
    const lines = values.map((value, index) => {
      const quantile = formatFloat(this.#quantiles[index]!);
      return sampleLine(name, joinLabels(labels, `quantile="${quantile}"`), value);
    });
    return (
      lines.join('') + sampleLine(`${name}_sum`, labels, this.#sum) + sampleLine(`${name}_count`, labels, this.#count)
    );
  }

  /** Opens the bucket for this moment and drops those that are too old. */
  #forget(now: number): void {
    const current = Math.floor((now - this.#start) / BUCKET_WIDTH);
    const passed = Math.min(current - this.#newest, AGE_BUCKETS);
    if (passed <= 0) return;
    const opened = Array.from({ length: passed }, () => new QuantileSketch());
    this.#ages = [...this.#ages, ...opened].slice(-AGE_BUCKETS);
    this.#newest = current;
  }
}
