import { DurationError, parseDuration } from '@karpenter-ts/kubernetes';
import { formatFixed } from './number-text.ts';

const SECOND = 1_000_000_000n;

/** A span of time in nanoseconds, within an int64. */
export class Duration {
  readonly typeName = 'google.protobuf.Duration';
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  /** Go's syntax (`1h30m`), or undefined. */
  static find(text: string): Duration | undefined {
    try {
      return new Duration(parseDuration(text));
    } catch (error) {
      if (error instanceof DurationError) return undefined;
      throw error;
    }
  }

  /** In seconds, as Go converts to a float. */
  get seconds(): number {
    return Number(this.nanos / SECOND) + Number(this.nanos % SECOND) / 1e9;
  }

  /** `3600s`: what `string()` gives. */
  toString(): string {
    return `${formatFixed(this.seconds)}s`;
  }
}
