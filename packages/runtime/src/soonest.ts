import { DONE, type Result, RETRY } from './controller.ts';

/** Combines the results of several parts of a reconcile: retry if any asks for it, else the shortest wait. */
export function soonest(results: readonly Result[]): Result {
  let wait = Number.POSITIVE_INFINITY;
  for (const result of results) {
    if (result === RETRY) return RETRY;
    if (result !== DONE) wait = Math.min(wait, result.requeueAfter);
  }
  return Number.isFinite(wait) ? { requeueAfter: wait } : DONE;
}
