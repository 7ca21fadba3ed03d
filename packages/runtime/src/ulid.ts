import type { Instant } from './clock.ts';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'; // Crockford's base 32
const TIME_DIGITS = 10; // 48 bits of milliseconds
const RANDOM_DIGITS = 16; // 80 bits

/**
 * Generates ULIDs: ids of 26 characters that sort by creation time. The ids of one generator are distinct and
 * ascending, also within a millisecond and if the clock is set back.
 */
export class Ulids {
  readonly #random: () => number;
  #time = Number.NEGATIVE_INFINITY;
  #tail: number[] = [];

  /** `random` returns numbers in [0, 1). */
  constructor(random: () => number) {
    this.#random = random;
  }

  next(now: Instant): string {
    const time = Math.trunc(now);
    if (time > this.#time) {
      this.#time = time;
      this.#tail = Array.from({ length: RANDOM_DIGITS }, () => Math.trunc(this.#random() * DIGITS.length));
    } else {
      this.#increment();
    }
    return timeDigits(this.#time) + this.#tail.map((digit) => DIGITS[digit]).join('');
  }

  /** Increments the random part. On overflow, the time part is increased by a millisecond. */
  #increment(): void {
    for (let i = RANDOM_DIGITS - 1; i >= 0; i--) {
      const digit = this.#tail[i]! + 1;
      this.#tail[i] = digit % DIGITS.length;
      if (digit < DIGITS.length) return;
    }
    this.#time++;
  }
}

function timeDigits(time: number): string {
  let digits = '';
  for (let rest = time; digits.length < TIME_DIGITS; rest = Math.trunc(rest / DIGITS.length)) {
    digits = DIGITS[rest % DIGITS.length]! + digits;
  }
  return digits;
}
