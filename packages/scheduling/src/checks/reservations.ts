/**
 * How many instances each reservation has left, and which planned nodes may draw on it. A planned node holds every
 * reservation it might use, because nobody knows which it will (spec 02 §20).
 */
export class Reservations {
  readonly #left = new Map<string, number>();

  /** Offerings of one reservation may disagree on what it has left, having been read at different times: the least counts. */
  constructor(capacities: Iterable<ReadonlyMap<string, number>>) {
    for (const capacity of capacities) {
      for (const [id, left] of capacity) this.#left.set(id, Math.min(this.#left.get(id) ?? left, left));
    }
  }

  get isEmpty(): boolean {
    return this.#left.size === 0;
  }

  /** Whether a node that holds `held` can hold this one: it does already, or there is one left. */
  canHold(id: string, held: ReadonlySet<string>): boolean {
    return held.has(id) || this.#left.get(id)! > 0;
  }

  /** Takes what is new in `wanted` and gives back what is no longer in it. */
  exchange(held: ReadonlySet<string>, wanted: ReadonlySet<string>): void {
    for (const id of wanted.difference(held)) this.#left.set(id, this.#left.get(id)! - 1);
    for (const id of held.difference(wanted)) this.#left.set(id, this.#left.get(id)! + 1);
  }
}
