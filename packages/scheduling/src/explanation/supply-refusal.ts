// Refusals for want of something to buy, in plain data.
import { type Amounts, largestAmounts, NO_AMOUNTS, type Quantity, smallestAmounts } from '@karpenter-ts/kubernetes';
import type { HostPort, InstanceTypeRefusal, Refusal, ReservationRefusal, TypeTally } from '../failure.ts';
import { portsConflict } from '../model/pods/host-ports.ts';
import { BitSet } from '../model/interning/bit-set.ts';
import { clashes, type DaemonNeighbour } from '../packing/daemon-peers.ts';
import { variantsHolding } from '../packing/new-nodes/fitting-variants.ts';
import type { NodeTemplate } from '../packing/new-nodes/node-template.ts';
import type { OverheadGroup } from '../packing/new-nodes/overhead-group.ts';
import type { RawInstanceTypeRefusal, RawLimitRefusal, RawReservationRefusal } from '../packing/raw-refusal.ts';
import type { RequirementSets } from '../model/requirements/requirement-set.ts';

/** What the pool may still grow by beside the least its types would add. */
export function limitRefusal({ why, template, limits }: RawLimitRefusal): Refusal {
  const { catalogue } = template.market;
  const smallest = new Map<string, Quantity>();
  for (const [name, { format }] of limits.remaining) {
    smallest.set(name, { nanos: catalogue.capacityLevels(name).smallest(template.variants) ?? 0n, format });
  }
  return { why, remaining: limits.remaining, smallest };
}

/** Tells which tests how many types passed, and with which daemons. */
export class TypeRefusals {
  readonly #sets: RequirementSets;

  constructor(sets: RequirementSets) {
    this.#sets = sets;
  }

  write(raw: RawInstanceTypeRefusal): InstanceTypeRefusal {
    const { demand, template, set, shortages } = raw;
    const { ports } = demand;
    const groups = withoutClash(template, demand);
    const overheads = groups.map(({ requests }) => requests).filter((requests) => requests.size > 0);
    const fold = (combine: (a: Amounts, b: Amounts) => Amounts) =>
      overheads.length === 0 ? NO_AMOUNTS : overheads.reduce(combine);
    return {
      why: 'InstanceTypes',
      types: this.#tally(raw, groups),
      shortOf: shortages,
      takenPorts: ports.length === 0 ? ports : takenPorts(template, ports),
      avoidedDaemons: avoidedOn(template, demand),
      requirements: this.#sets.toRequirements(set),
      podRequests: demand.amounts,
      leastDaemonRequests: fold(smallestAmounts),
      mostDaemonRequests: fold(largestAmounts),
    };
  }

  /** A type is large enough only as what it is offered as, so fitting implies an offering. */
  #tally({ template, set, demand, variants }: RawInstanceTypeRefusal, groups: readonly OverheadGroup[]): TypeTally {
    const { catalogue } = template.market;
    const { compatible, offered } = template.market.supply(set);
    const considered = groups.length === template.overheadGroups.length ? variants : within(variants, groups);
    return {
      considered: catalogue.countTypes(considered, considered),
      compatible: catalogue.countTypes(considered, compatible),
      offered: catalogue.countTypes(considered, offered),
      fitting: catalogue.countTypes(variantsHolding(considered, template, demand), offered),
    };
  }
}

/** The types on which no daemon keeps the pod off. */
function withoutClash({ overheadGroups }: NodeTemplate, demand: DaemonNeighbour): readonly OverheadGroup[] {
  return overheadGroups.filter((group) => !clashes(demand, group));
}

function takenPorts({ overheadGroups }: NodeTemplate, ports: readonly HostPort[]): readonly HostPort[] {
  return ports.filter((port) => overheadGroups.some((group) => portsConflict([port], group.ports)));
}

function avoidedOn({ overheadGroups }: NodeTemplate, { avoided }: DaemonNeighbour): readonly string[] {
  return avoided
    .filter((daemon) => overheadGroups.some(({ daemons }) => daemons.includes(daemon)))
    .map(({ name }) => name)
    .sort();
}

function within(variants: BitSet, groups: readonly OverheadGroup[]): BitSet {
  const found = new BitSet();
  for (const group of groups) found.unite(group.variants);
  found.intersect(variants);
  return found;
}

/** Which reservations would have done, or would have been given up. */
export function reservationRefusal({ problem, possible, held }: RawReservationRefusal): ReservationRefusal {
  const ids = problem === 'Taken' ? possible.map(({ reservation }) => reservation) : held;
  return { why: 'Reservation', problem, reservations: [...new Set(ids)].sort() };
}
