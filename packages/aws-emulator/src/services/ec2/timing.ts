import { HOUR, MINUTE, SECOND } from '../../clock.ts';

/** At least and at most, in milliseconds; each instance gets a time in between by seed. */
export type Span = readonly [least: number, most: number];

/** How long things take. All of it can be changed. */
export interface Timing {
  /** Until a created instance is told of: before, EC2 says that it does not exist. */
  readonly visible: Span;
  /** From pending to running. */
  readonly start: Span;
  /** From shutting-down to terminated. */
  readonly shutdown: Span;
  /** How long a terminated instance is still told of. */
  readonly remembered: number;
  /** From the warning of an interruption to the termination. */
  readonly warning: number;
}

export const USUAL_TIMING: Timing = {
  visible: [200, 1500],
  start: [5 * SECOND, 12 * SECOND],
  shutdown: [20 * SECOND, 45 * SECOND],
  remembered: HOUR,
  warning: 2 * MINUTE,
};
