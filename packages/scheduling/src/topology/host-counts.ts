import type { BitSet } from '../model/interning/bit-set.ts';
import type { CountsByHost } from './host-difference.ts';
import { ChangedHosts, ManyHosts } from './many-hosts.ts';

/** Up to so many hosts are listed one by one: less work and memory than a bit for each host there is. */
const FEW = 16;

/**
 * Matching pods by host. Thousands of rules have pods on a host or two each, some have pods on thousands: the former keep
 * a list, the latter ready sets of the hosts that rules ask for, 32 at a time.
 */
export class HostCounts implements CountsByHost {
  readonly #maxSkew: number;
  /** The hosts with any pods, and beside them how many; `undefined` once there are many. */
  #few: number[] | undefined = [];
  #counts: number[] = [];
  #many: ManyHosts | ChangedHosts | undefined;
  #highest = 0;

  constructor(maxSkew: number) {
    this.#maxSkew = maxSkew;
  }

  /** Independent of this one, at the cost of the hosts that are changed afterwards. */
  clone(): HostCounts {
    const copy = new HostCounts(this.#maxSkew);
    copy.#few = this.#few?.slice();
    copy.#counts = this.#counts.slice();
    if (this.#many instanceof ManyHosts) this.#many = new ChangedHosts(this.#many); // shared from here on
    copy.#many = this.#many?.clone();
    copy.#highest = this.#highest;
    return copy;
  }

  /** No host ever had more pods. */
  get highest(): number {
    return this.#highest;
  }

  count(host: number): number {
    if (this.#few === undefined) return this.#many!.count(host);
    return this.#counts[this.#few.indexOf(host)] ?? 0;
  }

  add(host: number, change: 1 | -1): void {
    const count = this.#few === undefined ? this.#addToMany(host, change) : this.#addToFew(this.#few, host, change);
    if (count > this.#highest) this.#highest = count;
  }

  /** Hosts with a pod. */
  busy(): Iterable<number> {
    return this.#few ?? this.#many!.busy();
  }

  /** Keeps hosts with a pod. False when none is left. */
  keepBusy(hosts: BitSet): boolean {
    if (this.#few === undefined) return this.#many!.keepBusy(hosts);
    const left = this.#few.filter((host) => hosts.has(host));
    hosts.clear();
    for (const host of left) hosts.add(host);
    return left.length > 0;
  }

  /** Drops hosts with so many pods or more: 1, `maxSkew` or one more. False when it is known that none is left. */
  dropFrom(hosts: BitSet, least: number): boolean {
    if (this.#few === undefined) return this.#many!.dropFrom(hosts, least);
    for (let i = 0; i < this.#few.length; i++) if (this.#counts[i]! >= least) hosts.delete(this.#few[i]!);
    return true;
  }

  #addToFew(hosts: number[], host: number, change: 1 | -1): number {
    const at = hosts.indexOf(host);
    if (at < 0) {
      hosts.push(host);
      this.#counts.push(change);
      if (hosts.length > FEW) this.#list(hosts);
      return change;
    }
    const count = this.#counts[at]! + change;
    this.#counts[at] = count;
    if (count === 0) {
      hosts.splice(at, 1);
      this.#counts.splice(at, 1);
    }
    return count;
  }

  #addToMany(host: number, change: 1 | -1): number {
    if (this.#many instanceof ChangedHosts && this.#many.isLarge) this.#many = this.#many.merge();
    return this.#many!.add(host, change);
  }

  #list(hosts: readonly number[]): void {
    const many = new ManyHosts(this.#maxSkew);
    for (const [i, host] of hosts.entries()) {
      for (let count = this.#counts[i]!; count > 0; count--) many.add(host, 1);
    }
    this.#many = many;
    this.#few = undefined;
    this.#counts = [];
  }
}
