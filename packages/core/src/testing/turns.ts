import { SECOND } from '@karpenter-ts/runtime';
import { TimeSlices } from '../state/time-slices.ts';

/**
 * How often everything else gets its turn while `run` works, by a clock that says of every slice that it is over: as
 * often as the work asks. Work on n things that asks less than n times holds the event loop the longer the more there are.
 */
export async function countTurns(run: (slices: TimeSlices) => Promise<unknown>): Promise<number> {
  let elapsed = 0;
  const clock = { elapsed: () => (elapsed += SECOND) };
  let turns = 0;
  let isRunning = true;
  const others = (): void => {
    turns++;
    if (isRunning) setImmediate(others);
  };
  setImmediate(others);
  await run(new TimeSlices(clock, new AbortController().signal));
  isRunning = false;
  return turns;
}
