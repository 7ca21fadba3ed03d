import { sampleLine } from './text-format.ts';

/** The values under one set of labels. */
export interface Series {
  /** The value of a counter or gauge; the number of observations of a histogram or summary. */
  readonly value: number;
  /** All its sample lines. */
  render(name: string, labels: string, now: number): string;
}

/** A counter or gauge. */
export class ScalarSeries implements Series {
  value = 0;

  render(name: string, labels: string): string {
    return sampleLine(name, labels, this.value);
  }
}
