import type { BitSet } from '../model/interning/bit-set.ts';

/** Matching pods by host. */
export interface CountsByHost {
  /** No host ever had more pods; that some had so many is not said. */
  readonly highest: number;
  count(host: number): number;
  /** Hosts with a pod. */
  busy(): Iterable<number>;
  /** Keeps hosts with a pod. False when none is left. */
  keepBusy(hosts: BitSet): boolean;
  /** Drops hosts with so many pods or more: 1, `maxSkew` or one more. False when it is known that none is left. */
  dropFrom(hosts: BitSet, least: number): boolean;
}

/**
 * The pods of a whole without those of some of its parts. Thousands of rules may each count all pods but a few: recording a
 * pod then changes the whole and one part, not every rule.
 */
export class HostDifference implements CountsByHost {
  readonly #whole: CountsByHost;
  readonly #parts: readonly CountsByHost[];

  /** No pod is in two parts. */
  constructor(whole: CountsByHost, parts: readonly CountsByHost[]) {
    this.#whole = whole;
    this.#parts = parts;
  }

  get highest(): number {
    return this.#whole.highest;
  }

  count(host: number): number {
    let count = this.#whole.count(host);
    for (const part of this.#parts) if (count > 0) count -= part.count(host);
    return count;
  }

  *busy(): Iterable<number> {
    for (const host of this.#whole.busy()) if (this.count(host) > 0) yield host;
  }

  keepBusy(hosts: BitSet): boolean {
    let isAny = false;
    for (let host = hosts.next(0); host >= 0; host = hosts.next(host + 1)) {
      if (this.count(host) > 0) isAny = true;
      else hosts.delete(host);
    }
    return isAny;
  }

  dropFrom(hosts: BitSet, least: number): boolean {
    const open: number[] = [];
    for (const part of this.#parts) {
      for (const host of part.busy()) if (hosts.has(host) && this.count(host) < least) open.push(host);
    }
    const isAny = this.#whole.dropFrom(hosts, least);
    for (const host of open) hosts.add(host);
    return isAny || open.length > 0;
  }
}
