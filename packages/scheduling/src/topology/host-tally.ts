import { BitSet } from '../interning/bit-set.ts';

/** Matching pods by host, and ready sets of the hosts that rules ask for. */
export class HostTally {
  readonly #maxSkew: number;
  #counts: Int32Array;
  /** Hosts with a pod; with `maxSkew`; with more. */
  readonly busy: BitSet;
  readonly full: BitSet;
  readonly overfull: BitSet;

  constructor(maxSkew: number, hosts: number, from?: HostTally) {
    this.#maxSkew = maxSkew;
    this.#counts = from === undefined ? new Int32Array(hosts) : from.#counts.slice();
    this.busy = from?.busy.clone() ?? new BitSet(hosts);
    this.full = from?.full.clone() ?? new BitSet(hosts);
    this.overfull = from?.overfull.clone() ?? new BitSet(hosts);
  }

  /** Independent of this one. */
  clone(): HostTally {
    return new HostTally(this.#maxSkew, 0, this);
  }

  count(host: number): number {
    return this.#counts[host] ?? 0;
  }

  add(host: number, change: 1 | -1): void {
    if (host >= this.#counts.length) this.#grow(host + 1);
    const before = this.#counts[host]!;
    const after = before + change;
    this.#counts[host] = after;
    cross(this.busy, host, before, after, 1);
    cross(this.full, host, before, after, this.#maxSkew);
    cross(this.overfull, host, before, after, this.#maxSkew + 1);
  }

  #grow(size: number): void {
    const counts = this.#counts;
    this.#counts = new Int32Array(Math.max(size, counts.length * 2));
    this.#counts.set(counts);
  }
}

function cross(set: BitSet, host: number, before: number, after: number, threshold: number): void {
  if (after >= threshold && before < threshold) set.add(host);
  else if (after < threshold && before >= threshold) set.delete(host);
}
