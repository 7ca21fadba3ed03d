import { sleepWith } from './sleep.ts';
import type { SteadyClock } from './steady-clock.ts';

/**
 * A clock that starts at the time of `clock` and runs `factor` times as fast. Its timers keep the process alive as
 * those of `clock` do.
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
