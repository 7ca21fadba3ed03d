import type { HistogramDefinition } from './definition.ts';
import { joinLabels } from './labels.ts';
import type { Series } from './series.ts';
import { formatFloat, sampleLine } from './text-format.ts';

/** A histogram's values under one set of labels. */
export class HistogramSeries implements Series {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array; // per bucket, not cumulative; the last is +Inf
  #sum = 0;

  constructor({ bounds }: HistogramDefinition) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  get value(): number {
    return this.#counts.reduce((total, count) => total + count, 0);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && !(value <= bounds[bucket]!)) bucket++;
    this.#counts[bucket]!++;
    this.#sum += value;
  }

  render(name: string, labels: string): string {
    let text = '';
    let total = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      total += count;
      const le = formatFloat(this.#bounds[bucket] ?? Infinity);
      text += sampleLine(`${name}_bucket`, joinLabels(labels, `le="${le}"`), total);
    }
    return text + sampleLine(`${name}_sum`, labels, this.#sum) + sampleLine(`${name}_count`, labels, total);
  }
}
