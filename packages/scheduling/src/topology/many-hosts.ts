import { BitSet } from '../model/interning/bit-set.ts';

/** Counts by host, and ready sets of the hosts with a pod; with `maxSkew`; with more. */
export class ManyHosts {
  readonly #maxSkew: number;
  #counts = new Int32Array();
  readonly #busy: BitSet;
  readonly #full: BitSet;
  readonly #overfull: BitSet;

  constructor(maxSkew: number, from?: ManyHosts) {
    this.#maxSkew = maxSkew;
    this.#busy = from === undefined ? new BitSet() : from.#busy.clone();
    this.#full = from === undefined ? new BitSet() : from.#full.clone();
    this.#overfull = from === undefined ? new BitSet() : from.#overfull.clone();
    if (from !== undefined) this.#counts = from.#counts.slice();
  }

  /** Shares nothing with this one. */
  copy(): ManyHosts {
    return new ManyHosts(this.#maxSkew, this);
  }

  count(host: number): number {
    return this.#counts[host] ?? 0;
  }

  /** The new count. */
  add(host: number, change: 1 | -1): number {
    if (host >= this.#counts.length) this.#grow(host + 1);
    const count = this.#counts[host]! + change;
    this.#counts[host] = count;
    if (change > 0) {
      if (count === 1) this.#busy.add(host);
      if (count === this.#maxSkew) this.#full.add(host);
      else if (count === this.#maxSkew + 1) this.#overfull.add(host);
    } else {
      if (count === 0) this.#busy.delete(host);
      if (count === this.#maxSkew - 1) this.#full.delete(host);
      else if (count === this.#maxSkew) this.#overfull.delete(host);
    }
    return count;
  }

  busy(): Iterable<number> {
    return this.#busy;
  }

  keepBusy(hosts: BitSet): boolean {
    return hosts.intersect(this.#busy);
  }

  dropFrom(hosts: BitSet, least: number): boolean {
    return hosts.subtract(least === 1 ? this.#busy : least === this.#maxSkew ? this.#full : this.#overfull);
  }

  #grow(size: number): void {
    const counts = this.#counts;
    this.#counts = new Int32Array(Math.max(size, counts.length * 2));
    this.#counts.set(counts);
  }
}

/** Beyond so many changed hosts a copy of all of them is faster. */
const MOST_CHANGED = 64;

/**
 * Counts that others share, and the counts of the hosts that have changed since. A what-if moves a few pods in a cluster of
 * thousands of nodes: to copy the counts of all hosts would be most of its work.
 */
export class ChangedHosts {
  readonly #shared: ManyHosts;
  readonly #changed: Map<number, number>;

  /** `shared` must not change any more. */
  constructor(shared: ManyHosts, changed: ReadonlyMap<number, number> = new Map()) {
    this.#shared = shared;
    this.#changed = new Map(changed);
  }

  clone(): ChangedHosts {
    return new ChangedHosts(this.#shared, this.#changed);
  }

  get isLarge(): boolean {
    return this.#changed.size > MOST_CHANGED;
  }

  /** The same counts, without sharing any. */
  merge(): ManyHosts {
    const merged = this.#shared.copy();
    for (const [host, count] of this.#changed) {
      for (let left = count - merged.count(host); left > 0; left--) merged.add(host, 1);
      for (let left = count - merged.count(host); left < 0; left++) merged.add(host, -1);
    }
    return merged;
  }

  count(host: number): number {
    return this.#changed.get(host) ?? this.#shared.count(host);
  }

  /** The new count. */
  add(host: number, change: 1 | -1): number {
    const count = this.count(host) + change;
    this.#changed.set(host, count);
    return count;
  }

  *busy(): Iterable<number> {
    for (const host of this.#shared.busy()) if (!this.#changed.has(host)) yield host;
    for (const [host, count] of this.#changed) if (count > 0) yield host;
  }

  keepBusy(hosts: BitSet): boolean {
    const kept = this.#find(hosts, (count) => count > 0);
    for (const host of this.#changed.keys()) hosts.delete(host);
    const isAny = this.#shared.keepBusy(hosts);
    for (const host of kept) hosts.add(host);
    return isAny || kept.length > 0;
  }

  dropFrom(hosts: BitSet, least: number): boolean {
    const kept = this.#find(hosts, (count) => count < least);
    for (const host of this.#changed.keys()) hosts.delete(host);
    const isAny = this.#shared.dropFrom(hosts, least);
    for (const host of kept) hosts.add(host);
    return isAny || kept.length > 0;
  }

  /** The changed ones of these hosts that have such counts. */
  #find(hosts: BitSet, isWanted: (count: number) => boolean): readonly number[] {
    const found: number[] = [];
    for (const [host, count] of this.#changed) if (hosts.has(host) && isWanted(count)) found.push(host);
    return found;
  }
}
