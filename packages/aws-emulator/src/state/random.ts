/** Reproducible choices: equal seeds make equal runs. The generator is Mulberry32. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** So many hexadecimal digits. */
  hex(length: number): string {
    let digits = '';
    while (digits.length < length) digits += Math.floor(this.next() * 16).toString(16);
    return digits;
  }

  /** An id as EC2 forms them: `i-` and 17 hexadecimal digits, the first always 0. */
  id(prefix: string): string {
    return `${prefix}-0${this.hex(16)}`;
  }

  uuid(): string {
    return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-a${this.hex(3)}-${this.hex(12)}`;
  }

  /** An element of a list that is not empty. */
  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.next() * from.length)]!;
  }
}

/** A number that stands for a text, to seed what belongs to it (FNV-1a). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
