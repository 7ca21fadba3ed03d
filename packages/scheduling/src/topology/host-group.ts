import { admits, type Requirement } from '@karpenter-ts/apis';
import type { BitSet } from '../interning/bit-set.ts';
import type { HostTally } from './host-tally.ts';
import type { TopologyRule } from './rule.ts';

/** Names of hosts by number. */
export interface HostNames {
  nameOf(host: number): string;
}

/**
 * The matching pods of a rule by hostname: one domain per node, and a new node is always one more. Existing nodes and
 * nodes being planned are numbered apart.
 */
export class HostGroup {
  readonly rule: TopologyRule;
  readonly existing: HostTally;
  readonly planned: HostTally;

  constructor(rule: TopologyRule, existing: HostTally, planned: HostTally) {
    this.rule = rule;
    this.existing = existing;
    this.planned = planned;
  }

  /** What the rule asks of the host of a pod. `hostname` is the pod's own requirement (spec 02 §16.4). */
  demand(
    hostname: Requirement | undefined,
    isSelected: boolean,
    names: HostNames,
    plannedNames: HostNames,
  ): HostDemand {
    switch (this.rule.kind) {
      case 'spread':
        return new HostDemand(this, { least: 0, most: this.rule.maxSkew - (isSelected ? 1 : 0) });
      case 'anti-affinity':
        return new HostDemand(this, { least: 0, most: 0 });
      case 'affinity': {
        const isFollowed =
          hasAdmitted(this.existing.busy, hostname, names) || hasAdmitted(this.planned.busy, hostname, plannedNames);
        const least = isSelected && !isFollowed ? 0 : 1;
        return new HostDemand(this, { least, most: Number.POSITIVE_INFINITY }, hostname, least > 0 && !isFollowed);
      }
      default:
        return this.rule.kind satisfies never;
    }
  }
}

/** How many matching pods a host must and may have to be open to a pod. */
export class HostDemand {
  readonly group: HostGroup;
  readonly #least: number;
  readonly #most: number;
  readonly #hostname: Requirement | undefined;
  /** Whether no host is open to the pod, and no new one would be. */
  readonly isHopeless: boolean;

  constructor(
    group: HostGroup,
    { least, most }: { readonly least: number; readonly most: number },
    hostname?: Requirement,
    isHopeless = false,
  ) {
    this.group = group;
    this.#least = least;
    this.#most = most;
    this.#hostname = hostname;
    this.isHopeless = isHopeless;
  }

  accepts(count: number, hostname: string): boolean {
    if (count < this.#least || count > this.#most) return false;
    return this.#hostname === undefined || admits(this.#hostname, hostname);
  }

  /** Drops hosts that are not open. Those left need not be: `accepts` decides. */
  restrict(candidates: BitSet, tally: HostTally): void {
    if (this.#least > 0) candidates.intersect(tally.busy);
    if (this.#most === 0) candidates.subtract(tally.busy);
    else if (this.#most === this.group.rule.maxSkew) candidates.subtract(tally.overfull);
    else if (this.#most === this.group.rule.maxSkew - 1) candidates.subtract(tally.full);
  }
}

function hasAdmitted(hosts: BitSet, hostname: Requirement | undefined, names: HostNames): boolean {
  if (hostname === undefined) return !hosts.isEmpty();
  for (const host of hosts) if (admits(hostname, names.nameOf(host))) return true;
  return false;
}
