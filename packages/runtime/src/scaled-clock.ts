import { sleepWith } from './sleep.ts';
import type { SteadyClock } from './steady-clock.ts';

/**
 * Time that starts where `clock` is and runs `factor` times as fast: for those who live by it an hour is an hour, for
 * those outside it takes a fraction. Its timers keep the process alive as those of `clock` do.
 */
export function scaledClock(clock: SteadyClock, factor: number): SteadyClock {
  const begun = clock.now();
  const origin = clock.elapsed();
  const elapsed = (): number => (clock.elapsed() - origin) * factor;
  const after: SteadyClock['after'] = (delay, run) => clock.after(delay / factor, run);
  return {
    now: () => begun + Math.floor(elapsed()),
    elapsed,
    after,
    sleep: (delay, signal) => sleepWith({ after }, delay, signal),
    track: (work) => clock.track(work),
  };
}
