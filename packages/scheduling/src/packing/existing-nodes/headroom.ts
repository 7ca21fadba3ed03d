import { BitSet } from '../../model/interning/bit-set.ts';

/** Into how many bands nodes are sorted. At 5,000 nodes a resource takes 40 kB, and a band has some 80 nodes. */
const BANDS = 64;

/**
 * Nodes by how much room they have of one resource, in bands: so those with enough are found without a look at each of
 * them, and those that are too full are passed over 32 at a time.
 */
export class Headroom {
  /** By band, ascending: the most a node in it has; the nodes of this band and all above. */
  readonly #most: number[] = [];
  readonly #fromBand: BitSet[] = [];
  readonly #none = new BitSet();

  /** `room[node]` is what the node has. */
  constructor(room: Float64Array) {
    const descending = Array.from(room, (_, node) => node).sort((a, b) => room[b]! - room[a]!);
    const fewest = room.length / BANDS;
    const reached = new BitSet(room.length);
    let inBand = 0;
    for (const [i, node] of descending.entries()) {
      if (inBand === 0) this.#most.push(room[node]!);
      reached.add(node);
      inBand++;
      const next = descending[i + 1];
      if (next !== undefined && (room[next] === room[node] || inBand < fewest)) continue;
      this.#fromBand.push(reached.clone());
      inBand = 0;
    }
    this.#most.reverse();
    this.#fromBand.reverse();
  }

  /** All nodes that have so much, and of the others at most those of one band. Not to be changed. */
  withAbout(amount: number): BitSet {
    const band = this.#most.findIndex((most) => most >= amount);
    return this.#fromBand[band] ?? this.#none;
  }
}
