import type { Plan } from './plan.ts';

/** How far a run is; given at every point where it may be paused, stopped or dropped. */
export interface Progress {
  readonly phase: 'reading' | 'placing';
  /** Pods still to be looked at. */
  readonly waiting: number;
}

/** Work that is done a little at each `next()`. Its driver decides when to go on; dropping it needs nothing. */
export type Reading<T> = Generator<Progress, T, undefined>;

/** A run of the planner. `next('stop')` ends it with what is placed so far; the rest is `undecided`. */
export type PlanRun = Generator<Progress, Plan, 'stop' | undefined>;

/** Does all the work without a pause. */
export function finish<T>(work: Generator<Progress, T, undefined>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
