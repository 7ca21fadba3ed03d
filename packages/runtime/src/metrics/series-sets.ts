import type { GaugeDefinition } from './definition.ts';
import { type Labels, labelText } from './labels.ts';
import type { Metrics } from './registry.ts';

/** A gauge with its labels and value. */
export interface GaugeSample {
  readonly gauge: GaugeDefinition;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Creates a sample whose labels are checked by the compiler. */
export function gaugeSample<L extends string>(
  gauge: GaugeDefinition<L>,
  labels: Labels<NoInfer<L>>,
  value: number,
): GaugeSample {
  return { gauge, labels, value };
}

/**
 * Gauges that describe objects which come and go. Each object owns a set of series, of any gauges. Replacing the set
 * removes series that are no longer in it, except those that another owner has written since.
 */
export class SeriesSets {
  readonly #metrics: Metrics;
  readonly #sets = new Map<string, ReadonlyMap<string, GaugeSample>>(); // by owner, then by series
  readonly #owners = new Map<string, string>(); // the last writer of each series

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** Replaces the series of `owner` by `samples`. */
  replace(owner: string, samples: readonly GaugeSample[]): void {
    const next = new Map(samples.map((sample) => [seriesKey(sample), sample]));
    for (const [key, { gauge, labels, value }] of next) {
      this.#metrics.set(gauge, labels, value);
      this.#owners.set(key, owner);
    }
    for (const [key, { gauge, labels }] of this.#sets.get(owner) ?? []) {
      if (next.has(key) || this.#owners.get(key) !== owner) continue;
      this.#metrics.remove(gauge, labels);
      this.#owners.delete(key);
    }
    if (next.size === 0) this.#sets.delete(owner);
    else this.#sets.set(owner, next);
  }

  /** Removes all series of `owner`. */
  remove(owner: string): void {
    this.replace(owner, []);
  }

  /** Replaces all series of all owners. */
  replaceAll(sets: ReadonlyMap<string, readonly GaugeSample[]>): void {
    for (const [owner, samples] of sets) this.replace(owner, samples);
    for (const owner of this.#sets.keys()) if (!sets.has(owner)) this.remove(owner);
  }
}

function seriesKey({ gauge, labels }: GaugeSample): string {
  return `${gauge.name}{${labelText(gauge.labelNames, labels)}}`;
}
