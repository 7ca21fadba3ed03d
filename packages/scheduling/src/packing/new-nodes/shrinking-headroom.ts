import { BitSet } from '../../model/interning/bit-set.ts';

/** How many bands an amount passes through when it doubles: nodes of one band differ in room by a fifth at most. */
const BANDS_PER_OCTAVE = 4;

/**
 * In-flight nodes in bands by how much room they have left of one resource, kept up to date as they fill up. A search skips
 * the nodes that are too full for a pod 32 at a time. The bands are logarithmic, because room ranges from a few bytes to
 * terabytes. Only the bands that some pod asks for cost anything: one bit for each node.
 */
export class ShrinkingHeadroom {
  /** By node; −1 for less than nothing. */
  readonly #bands: number[] = [];
  readonly #asked: number[] = [];
  /** By band that was asked for: nodes in it or above. */
  readonly #fromBand: (BitSet | undefined)[] = [];

  /** A node has this much room now, which is never more than it had before. */
  set(node: number, room: number): void {
    const band = bandOf(room);
    const before = this.#bands[node];
    this.#bands[node] = band;
    if (before === band) return;
    for (const asked of this.#asked) {
      if (before === undefined) {
        if (asked <= band) this.#fromBand[asked]!.add(node);
      } else if (asked > band && asked <= before) this.#fromBand[asked]!.delete(node);
    }
  }

  /** Drops nodes that have less than this, but for some that come close. */
  restrict(nodes: BitSet, amount: number): void {
    nodes.intersect(this.#atLeast(bandOf(amount)));
  }

  #atLeast(band: number): BitSet {
    let enough = this.#fromBand[band];
    if (enough === undefined) {
      enough = new BitSet();
      for (let node = 0; node < this.#bands.length; node++) if (this.#bands[node]! >= band) enough.add(node);
      this.#fromBand[band] = enough;
      this.#asked.push(band);
    }
    return enough;
  }
}

function bandOf(amount: number): number {
  return amount < 0 ? -1 : Math.floor(BANDS_PER_OCTAVE * Math.log2(amount + 1));
}
