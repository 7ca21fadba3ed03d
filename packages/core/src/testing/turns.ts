import { SECOND } from '@karpenter-ts/runtime';
import { TimeSlices } from '../state/time-slices.ts';

/**
 * Counts how often the event loop runs other work while `run` works. Its clock says that every slice is over, so this
 * is how often the work asks. Work on n objects that asks less than n times blocks the event loop longer the more
 * objects there are.
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
