import type { Plan } from './plan.ts';

/** How far a run is; given at every point where it may be paused, stopped or dropped. */
export interface Progress {
  readonly phase: 'reading' | 'placing' | 'improving';
  /** Pods still to be looked at. */
  readonly waiting: number;
}

/** All pods have been looked at; a cheaper plan for them is looked for. */
export const IMPROVING: Progress = { phase: 'improving', waiting: 0 };

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

/** Work that a run does first, as a part of it; `undefined` if the run was told to stop. */
export function* unlessStopped<T>(work: Reading<T>): Generator<Progress, T | undefined, 'stop' | undefined> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if ((yield step.value) === 'stop') return undefined;
  }
}
