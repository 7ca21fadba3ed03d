import { HOUR, type SteadyClock } from '@karpenter-ts/runtime';
import type { ReservationCounter } from './reservation-counter.ts';

/** Counts survive an EC2 that does not answer for as long as this (spec 07 §2.1). */
const LIFETIME = 24 * HOUR;

interface Count {
  available: number;
  readonly until: number; // elapsed milliseconds
}

/**
 * How many instances each reservation has left. EC2's figure starts a count anew; launches and terminations change it
 * in between. It may be too high while EC2's answers lag behind: then a launch fails and the count becomes 0.
 */
export class ReservationCounts implements ReservationCounter {
  readonly #clock: SteadyClock;
  /** By id. All live equally long after EC2 told of them, so the first to end comes first. */
  readonly #counts = new Map<string, Count>();
  #version = 0;

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  get version(): number {
    this.#dropExpired();
    return this.#version;
  }

  available(reservationId: string): number {
    this.#dropExpired();
    return this.#counts.get(reservationId)?.available ?? 0;
  }

  /** EC2 has told how many are left. */
  counted(reservationId: string, available: number): void {
    this.#dropExpired();
    if (this.#counts.get(reservationId)?.available !== available) this.#version++;
    this.#counts.delete(reservationId); // moves the id to the end of the order
    this.#counts.set(reservationId, { available, until: this.#clock.elapsed() + LIFETIME });
  }

  launched(reservationId: string): void {
    this.#change(reservationId, (available) => Math.max(0, available - 1));
  }

  terminated(reservationId: string): void {
    this.#change(reservationId, (available) => available + 1);
  }

  exhausted(reservationId: string): void {
    this.#change(reservationId, () => 0);
  }

  /** A reservation that EC2 has not told of stays unknown. */
  #change(reservationId: string, next: (available: number) => number): void {
    this.#dropExpired();
    const count = this.#counts.get(reservationId);
    if (count === undefined) return;
    const available = next(count.available);
    if (available !== count.available) this.#version++;
    count.available = available;
  }

  #dropExpired(): void {
    const now = this.#clock.elapsed();
    for (const [id, { until, available }] of this.#counts) {
      if (now < until) return;
      this.#counts.delete(id);
      if (available !== 0) this.#version++;
    }
  }
}
