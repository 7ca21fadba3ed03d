import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;
/** Five minutes, or longer on a machine that is slow to answer: what counts is how often there was a chance. */
const MOST_TRIES = 1500;

/**
 * Asks until the answer is neither undefined nor false, and returns it. A failure to answer counts as not yet: asserting
 * within `ask` tells, when there is no more hope, what was still wrong.
 */
export async function until<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
  let cause: unknown;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await sleep(POLL_MS);
  }
  throw new Error(`never happened: ${what}`, { cause });
}
