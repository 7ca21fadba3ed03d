import type { Instant } from '../clock.ts';
import { VirtualClock } from '../virtual-clock.ts';

/** A virtual clock of a host whose wall clock somebody sets, and which may sleep. Timers take no notice of either. */
export class AdjustableClock extends VirtualClock {
  #wall = 0;
  #steady = 0;

  /** Sets the wall clock, to the future or to the past. */
  setWallBy(by: number): void {
    this.#wall += by;
  }

  /** The host sleeps. The wall clock goes on; the steady one does on some systems, and stands still on others. */
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
