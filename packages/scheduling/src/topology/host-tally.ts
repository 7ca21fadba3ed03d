import { BitSet } from '../interning/bit-set.ts';

/** Up to so many hosts are listed one by one: less work and memory than a bit for each host there is. */
const FEW = 16;

/**
 * Matching pods by host. Thousands of rules have pods on a host or two each, some have pods on thousands: the former keep
 * a list, the latter ready sets of the hosts that rules ask for, 32 at a time.
 */
export class HostTally {
  readonly #maxSkew: number;
  /** By host, of those with any pods; `undefined` once there are many. */
  #few: Map<number, number> | undefined = new Map();
  #many: ManyHosts | undefined;

  constructor(maxSkew: number) {
    this.#maxSkew = maxSkew;
  }

  /** Independent of this one. */
  clone(): HostTally {
    const copy = new HostTally(this.#maxSkew);
    copy.#few = this.#few && new Map(this.#few);
    copy.#many = this.#many?.clone();
    return copy;
  }

  count(host: number): number {
    return this.#few === undefined ? this.#many!.count(host) : (this.#few.get(host) ?? 0);
  }

  add(host: number, change: 1 | -1): void {
    if (this.#few === undefined) {
      this.#many!.set(host, this.#many!.count(host) + change);
      return;
    }
    const count = this.count(host) + change;
    if (count === 0) this.#few.delete(host);
    else this.#few.set(host, count);
    if (this.#few.size > FEW) this.#list();
  }

  /** Hosts with a pod. */
  busy(): Iterable<number> {
    return this.#few?.keys() ?? this.#many!.busy;
  }

  /** Keeps hosts with a pod. False when none is left. */
  keepBusy(hosts: BitSet): boolean {
    if (this.#few === undefined) return hosts.intersect(this.#many!.busy);
    const left = [...this.#few.keys()].filter((host) => hosts.has(host));
    hosts.clear();
    for (const host of left) hosts.add(host);
    return left.length > 0;
  }

  /** Drops hosts with so many pods or more: 1, `maxSkew` or one more. False when it is known that none is left. */
  dropFrom(hosts: BitSet, least: number): boolean {
    if (this.#few === undefined) return hosts.subtract(this.#many!.withAtLeast(least));
    for (const [host, count] of this.#few) if (count >= least) hosts.delete(host);
    return true;
  }

  #list(): void {
    this.#many = new ManyHosts(this.#maxSkew);
    for (const [host, count] of this.#few!) this.#many.set(host, count);
    this.#few = undefined;
  }
}

/** Counts by host, and ready sets of the hosts with a pod; with `maxSkew`; with more. */
class ManyHosts {
  readonly #maxSkew: number;
  #counts = new Int32Array();
  readonly busy: BitSet;
  readonly #full: BitSet;
  readonly #overfull: BitSet;

  constructor(maxSkew: number, from?: ManyHosts) {
    this.#maxSkew = maxSkew;
    this.busy = from?.busy.clone() ?? new BitSet();
    this.#full = from === undefined ? new BitSet() : from.#full.clone();
    this.#overfull = from === undefined ? new BitSet() : from.#overfull.clone();
    if (from !== undefined) this.#counts = from.#counts.slice();
  }

  clone(): ManyHosts {
    return new ManyHosts(this.#maxSkew, this);
  }

  count(host: number): number {
    return this.#counts[host] ?? 0;
  }

  set(host: number, count: number): void {
    if (host >= this.#counts.length) this.#grow(host + 1);
    const before = this.#counts[host]!;
    this.#counts[host] = count;
    cross(this.busy, host, before, count, 1);
    cross(this.#full, host, before, count, this.#maxSkew);
    cross(this.#overfull, host, before, count, this.#maxSkew + 1);
  }

  withAtLeast(count: number): BitSet {
    return count === 1 ? this.busy : count === this.#maxSkew ? this.#full : this.#overfull;
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
