/** How many launches are remembered, and how many failures among them make a pool unhealthy (spec 03 §11.4). */
const REMEMBERED = 4;
const UNHEALTHY_FAILURES = 2;

export type Health = 'Unknown' | 'Healthy' | 'Unhealthy';

/** How the last launches of a pool ended, oldest first; true for a Node that registered. */
export type Results = readonly boolean[];

/** Nothing is known yet. */
export const NO_RESULTS: Results = [];
/** What a pool known to be healthy starts with: one failure more than now would be needed. */
export const HEALTHY_RESULTS: Results = [true];
/** What a pool known to be unhealthy starts with. */
export const UNHEALTHY_RESULTS: Results = Array.from({ length: UNHEALTHY_FAILURES }, () => false);

/** With one more; the oldest is forgotten. */
export function addResult(results: Results, succeeded: boolean): Results {
  return [...results, succeeded].slice(-REMEMBERED);
}

/** A pool is unhealthy with two failures among the last four, however few there are. */
export function healthOf(results: Results): Health {
  if (results.length === 0) return 'Unknown';
  return results.filter((succeeded) => !succeeded).length >= UNHEALTHY_FAILURES ? 'Unhealthy' : 'Healthy';
}
