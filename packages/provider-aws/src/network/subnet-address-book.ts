import type { SteadyClock } from '@karpenter-ts/runtime';

/** What is known of a subnet since EC2 last told of it. */
interface Entry {
  /** As EC2 said. */
  readonly free: number;
  readonly believedUntil: number; // elapsed milliseconds
  /** What launches have left of it; undefined before the first. This does not expire. */
  left: number | undefined;
}

/**
 * How many addresses each subnet has left: what EC2 last said, less those that launches under way will take (spec 07
 * §13). Holds one entry for each subnet.
 */
export class SubnetAddressBook {
  readonly #clock: SteadyClock;
  readonly #lifetime: number;
  readonly #entries = new Map<string, Entry>();

  /** `lifetime`: for how many milliseconds what EC2 said is believed. */
  constructor(clock: SteadyClock, lifetime: number) {
    this.#clock = clock;
    this.#lifetime = lifetime;
  }

  /** EC2 has told how many are free, so that launches under way are counted in. */
  listed(subnetId: string, free: number): void {
    this.#enter(subnetId, { free, believedUntil: this.#clock.elapsed() + this.#lifetime, left: undefined });
  }

  /** 0 for a subnet that EC2 has not lately told of. */
  free(subnetId: string): number {
    const entry = this.#entries.get(subnetId);
    if (entry === undefined) return 0;
    return entry.left ?? (this.#clock.elapsed() < entry.believedUntil ? entry.free : 0);
  }

  /** A launch will take this many. The function that is returned gives them back, unless EC2 has been asked since. */
  take(subnetId: string, count: number): () => void {
    const left = this.free(subnetId) - count;
    const entry = this.#entries.get(subnetId) ?? this.#enter(subnetId, { free: 0, believedUntil: 0, left });
    entry.left = left;
    return () => {
      if (this.#entries.get(subnetId) === entry) entry.left! += count;
    };
  }

  /** EC2 says that nothing is left. */
  exhausted(subnetId: string): void {
    this.listed(subnetId, 0);
  }

  #enter(subnetId: string, entry: Entry): Entry {
    this.#entries.set(subnetId, entry);
    return entry;
  }
}

/** A subnet in the status of a NodeClass. */
export interface StatusSubnet {
  readonly id: string;
  readonly zone: string;
  readonly zoneID?: string | undefined;
}

/** The subnet with the most free addresses in each zone, by zone. Of equal ones the first in the status. */
export function roomiestSubnets(
  subnets: readonly StatusSubnet[],
  book: SubnetAddressBook,
): ReadonlyMap<string, StatusSubnet> {
  const chosen = new Map<string, StatusSubnet>();
  for (const subnet of subnets) {
    const rival = chosen.get(subnet.zone);
    if (rival === undefined || book.free(subnet.id) > book.free(rival.id)) chosen.set(subnet.zone, subnet);
  }
  return chosen;
}
