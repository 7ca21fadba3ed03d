import type { Instant } from '../clock.ts';
import { VirtualClock } from '../virtual-clock.ts';

/** A virtual clock with a wall clock that can be set and a host that can sleep. Timers are not affected by either. */
export class AdjustableClock extends VirtualClock {
  #wall = 0;
  #steady = 0;

  /** Sets the wall clock, to the future or to the past. */
  setWallBy(by: number): void {
    this.#wall += by;
  }

  /** Simulates that the host sleeps. The wall clock continues; the monotonic clock does on some systems only. */
  sleepHost(duration: number, steady: 'goes on' | 'stands still'): void {
    this.#wall += duration;
    if (steady === 'goes on') this.#steady += duration;
  }

  override now(): Instant {
    return super.now() + this.#wall;
  }

  override elapsed(): number {
    return super.elapsed() + this.#steady;
  }
}
