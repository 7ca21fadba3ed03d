import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;
/** Five minutes, or longer on a slow host: what counts is the number of tries. */
const MOST_TRIES = 1500;

/**
 * Calls `ask` until it returns something other than undefined or false, and returns that. Errors count as not yet;
 * after the last try the error tells what was still wrong.
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
