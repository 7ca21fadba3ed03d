import { sampleLine } from './text-format.ts';

/** The numbers under one set of labels. */
export interface Series {
  /** The value of a counter or gauge; how many observations a histogram or summary has had. */
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
