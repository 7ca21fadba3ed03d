import { admits, type Requirement } from '@karpenter-ts/apis';
import type { BitSet } from '../model/interning/bit-set.ts';
import { type CountsByHost, HostDifference } from './host-difference.ts';
import type { HostCounts } from './host-counts.ts';
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
  readonly #own: { readonly existing: HostCounts; readonly planned: HostCounts };
  #existing: CountsByHost;
  #planned: CountsByHost;
  /** Whether a pod of the cluster matches, on whatever host: then none that follows it is the first of its kind. */
  readonly #isFounded: boolean;
  #bounded: { readonly most: number; readonly bounds: HostBounds } | undefined;

  constructor(rule: TopologyRule, existing: HostCounts, planned: HostCounts) {
    this.rule = rule;
    this.#own = { existing, planned };
    this.#existing = existing;
    this.#planned = planned;
    this.#isFounded = !existing.busy()[Symbol.iterator]().next().done;
  }

  get existing(): CountsByHost {
    return this.#existing;
  }

  get planned(): CountsByHost {
    return this.#planned;
  }

  /** Whether its counts are those of others. */
  get isDerived(): boolean {
    return this.#existing !== this.#own.existing;
  }

  /** One more matching pod. Not to be called of one that is derived. */
  add(host: number, isPlanned: boolean): void {
    (isPlanned ? this.#own.planned : this.#own.existing).add(host, 1);
  }

  /** Has its counts from others from here on: those of a whole without those of its parts. */
  derive(whole: HostGroup, parts: readonly HostGroup[]): void {
    this.#existing = new HostDifference(
      whole.existing,
      parts.map(({ existing }) => existing),
    );
    this.#planned = new HostDifference(
      whole.planned,
      parts.map(({ planned }) => planned),
    );
  }

  /**
   * What the rule asks of the host of a pod now; `undefined` if that is met by all hosts. `hostname` is the pod's own
   * requirement (spec 02 §16.4).
   */
  bounds(
    hostname: Requirement | undefined,
    isSelected: boolean,
    names: HostNames,
    plannedNames: HostNames,
  ): HostBounds | undefined {
    switch (this.rule.kind) {
      case 'spread':
        return this.#atMost(this.rule.maxSkew - (isSelected ? 1 : 0));
      case 'anti-affinity':
        return this.#atMost(0);
      case 'affinity': {
        const isFollowed = hasBusy(this.existing, hostname, names) || hasBusy(this.planned, hostname, plannedNames);
        const least = isSelected && !isFollowed && !this.#isFounded ? 0 : 1;
        return new HostBounds(this, { least, most: Number.POSITIVE_INFINITY }, hostname, least > 0 && !isFollowed);
      }
      default:
        return this.rule.kind satisfies never;
    }
  }

  /** The same one each time: a pod may have a thousand of them, whenever it is tried. None if no host has that many. */
  #atMost(most: number): HostBounds | undefined {
    if (most >= 0 && this.existing.highest <= most && this.planned.highest <= most) return undefined;
    if (this.#bounded?.most !== most) this.#bounded = { most, bounds: new HostBounds(this, { least: 0, most }) };
    return this.#bounded.bounds;
  }
}

/** How many matching pods a host must and may have to be open to a pod. */
export class HostBounds {
  readonly group: HostGroup;
  readonly #least: number;
  readonly #most: number;
  readonly #hostname: Requirement | undefined;
  /** Whether no host is open to the pod, and no new one would be. */
  readonly isUnsatisfiable: boolean;

  constructor(
    group: HostGroup,
    { least, most }: { readonly least: number; readonly most: number },
    hostname?: Requirement,
    isUnsatisfiable = false,
  ) {
    this.group = group;
    this.#least = least;
    this.#most = most;
    this.#hostname = hostname;
    this.isUnsatisfiable = isUnsatisfiable;
  }

  accepts(count: number, hostname: string): boolean {
    if (count < this.#least || count > this.#most) return false;
    return this.#hostname === undefined || admits(this.#hostname, hostname);
  }

  /** Drops hosts that are not open. Those left need not be: `accepts` decides. False when it is known that none is. */
  restrict(candidates: BitSet, counts: CountsByHost): boolean {
    if (this.#least > 0 && !counts.keepBusy(candidates)) return false;
    return this.#most === Number.POSITIVE_INFINITY || counts.dropFrom(candidates, this.#most + 1);
  }
}

function hasBusy(counts: CountsByHost, hostname: Requirement | undefined, names: HostNames): boolean {
  for (const host of counts.busy()) if (hostname === undefined || admits(hostname, names.nameOf(host))) return true;
  return false;
}
