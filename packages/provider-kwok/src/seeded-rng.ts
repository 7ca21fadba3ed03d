import { createHash } from 'node:crypto';

const BYTES_PER_DRAW = 4;

/** A pseudo-random number generator: the same seed gives the same numbers on every host and in every process. */
export class SeededRng {
  readonly #seed: string;
  #block: Buffer = Buffer.alloc(0);
  #blocks = 0;
  #used = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** A whole number from 0 up to, not including, `limit`, which is at most 2^32. */
  below(limit: number): number {
    if (this.#used === this.#block.length) {
      this.#block = createHash('sha256')
        .update(`${this.#seed}/${this.#blocks++}`)
        .digest();
      this.#used = 0;
    }
    const draw = this.#block.readUInt32BE(this.#used);
    this.#used += BYTES_PER_DRAW;
    return draw % limit;
  }

  /** One of the choices, of which there must be some. */
  pick<T>(choices: ArrayLike<T>): T {
    return choices[this.below(choices.length)]!;
  }
}
