import { sleepWith } from './sleep.ts';
import type { SteadyClock } from './steady-clock.ts';

/**
 * The longest delay that setTimeout supports, 24.8 days. It turns longer ones into 1 ms, and a NodeClaim may expire
 * after 30 days.
 */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The host's time. Timers keep the process alive until they fire or are cancelled. */
export const realClock: SteadyClock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delay, run) {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      timer =
        left <= LONGEST_TIMER ? setTimeout(run, left) : setTimeout(() => arm(left - LONGEST_TIMER), LONGEST_TIMER);
    };
    arm(Math.max(0, delay)); // Node warns about negative delays
    return () => clearTimeout(timer);
  },
  sleep: (delay, signal) => sleepWith(realClock, delay, signal),
  track: (work) => work,
};
