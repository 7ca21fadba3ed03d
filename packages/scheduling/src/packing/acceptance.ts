import { admits } from '@karpenter-ts/apis';
import { type HostPort, portsConflict } from '../checks/host-ports.ts';
import type { Reservations } from '../checks/reservations.ts';
import type { TaintTable } from '../checks/taints.ts';
import { BitSet } from '../interning/bit-set.ts';
import { findShortages, withLoweredMinValues } from '../requirements/min-values.ts';
import type { NodeNeeds, RequirementSet, RequirementSets } from '../requirements/requirement-set.ts';
import type { ResourceVector } from '../resources/resource-table.ts';
import type { HostDemand } from '../topology/host-group.ts';
import type { Restriction } from '../topology/restriction.ts';
import type { Demand } from './demand.ts';
import { fittingVariants } from './fitting-variants.ts';
import type { NodeTemplate } from './node-template.ts';
import { NONE_HELD } from './open-node.ts';
import type { RefusalDraft } from './refusal-draft.ts';

/** A planned node, or a new one, that is asked to take a pod. */
export interface Candidate {
  readonly template: NodeTemplate;
  readonly set: RequirementSet;
  readonly variants: BitSet;
  readonly requests: ResourceVector;
  readonly ports: readonly HostPort[];
  readonly held: ReadonlySet<string>;
  readonly placeholder: string;
  /** Number among planned nodes, or −1 for a new one. */
  readonly index: number;
}

export interface AcceptanceDeps {
  readonly sets: RequirementSets;
  readonly taints: TaintTable;
  readonly reservations: Reservations;
  readonly reservedCapacity: 'Strict' | 'Fallback' | 'Off';
}

/** The checks a planned or new node makes before it takes a pod, in upstream's order (spec 02 §8.4). */
export class Acceptance {
  readonly #deps: AcceptanceDeps;
  readonly #largeEnough = new BitSet();
  /** What the node would be with the pod. Valid after `check` returned a set. */
  readonly variants = new BitSet();
  held: ReadonlySet<string> = NONE_HELD;
  minValuesLowered = false;
  /** Why not. Valid after `check` returned `undefined`. */
  refusal: RefusalDraft | undefined;
  /** Whether the node will never take a pod of this demand, whatever is placed elsewhere. */
  isFinal = false;

  constructor(deps: AcceptanceDeps) {
    this.#deps = deps;
  }

  /** The node's requirements with the pod on it; `undefined` if it does not take it. Changes nothing. */
  check(
    node: Candidate,
    demand: Demand,
    restriction: Restriction,
    minValues: 'Keep' | 'Lower',
  ): RequirementSet | undefined {
    const { sets, taints } = this.#deps;
    const { template } = node;
    this.isFinal = true;
    if (!taints.tolerates(demand.tolerations, template.taints)) {
      return this.#refuse({ why: 'Taints', template, tolerations: demand.tolerations });
    }
    if (!this.#meets(node, node.set, demand.needs)) {
      return this.#refuse(unmet('Requirements', node, node.set, demand.needs));
    }
    const merged = sets.merge(node.set, demand.needs.set);
    fittingVariants(this.#largeEnough, node.variants, template, node, demand);
    let isFinal = true;
    for (const alternative of demand.volumeAlternatives) {
      const accepted = this.#checkAlternative(node, demand, merged, alternative, restriction, minValues);
      if (accepted !== undefined) return accepted;
      isFinal &&= this.isFinal;
    }
    this.isFinal = isFinal;
    return undefined;
  }

  #checkAlternative(
    node: Candidate,
    demand: Demand,
    merged: RequirementSet,
    alternative: NodeNeeds,
    restriction: Restriction,
    minValues: 'Keep' | 'Lower',
  ): RequirementSet | undefined {
    this.isFinal = true;
    if (!this.#meets(node, merged, alternative)) {
      return this.#refuse(unmet('VolumeRequirements', node, merged, alternative));
    }
    const set = this.#deps.sets.merge(merged, alternative.set);
    // Rules come and go, but what no type can hold before them it cannot hold after.
    this.isFinal = !this.#largeEnough.overlaps(node.template.market.supply(set).usable);
    if (this.isFinal && node.index >= 0) return undefined;
    const narrowed = isOpen(node, restriction.hosts) ? restriction.narrow(set, 'loosely') : [];
    if (narrowed.length === 0) return this.#refuse({ why: 'Topology', set, hostname: node.placeholder });
    this.refusal = undefined;
    for (const one of narrowed) {
      const accepted = this.#checkTypes(node, demand, one, minValues);
      if (accepted !== undefined) return accepted;
      if (isReservation(this.refusal)) return undefined;
    }
    return undefined;
  }

  #checkTypes(node: Candidate, demand: Demand, set: RequirementSet, minValues: 'Keep' | 'Lower') {
    const { sets } = this.#deps;
    const { market } = node.template;
    this.variants.copyFrom(this.#largeEnough);
    this.minValuesLowered = false;
    if (!this.variants.intersect(market.supply(set).usable)) return this.#refuseTypes(node, demand, set, []);
    let accepted = set;
    if (set.hasMinValues) {
      const shortages = findShortages(set, sets, market.catalogue, this.variants);
      if (shortages.size > 0 && minValues === 'Keep') {
        return this.#refuseTypes(node, demand, set, [...shortages.keys()].sort());
      }
      this.minValuesLowered = shortages.size > 0;
      accepted = withLoweredMinValues(set, sets, shortages);
    }
    return this.#reserve(node, accepted) ? accepted : undefined;
  }

  /** Finds the reservations the node would hold. False if it may not do without (spec 02 §20). */
  #reserve(node: Candidate, set: RequirementSet): boolean {
    const { reservations, reservedCapacity } = this.#deps;
    const { market } = node.template;
    this.held = NONE_HELD;
    if (market.catalogue.reserved.length === 0 || reservedCapacity === 'Off') return true;
    const possible = market.catalogue.reserved.filter(
      ({ variants, kind }) => variants.overlaps(this.variants) && market.isOffered(kind, set),
    );
    const ids = possible.map(({ reservation }) => reservation).filter((id) => reservations.canHold(id, node.held));
    this.held = new Set(ids);
    if (reservedCapacity === 'Fallback' || ids.length > 0) return true;
    const problem = possible.length > 0 ? 'Taken' : node.held.size > 0 ? 'WouldBeLost' : undefined;
    if (problem === undefined) return true;
    this.#refuse({ why: 'Reservation', problem });
    return false;
  }

  #meets({ placeholder }: Candidate, set: RequirementSet, needs: NodeNeeds): boolean {
    if (needs.hostname !== undefined && !admits(needs.hostname, placeholder)) return false;
    return this.#deps.sets.accepts(set, needs.set, 'loosely');
  }

  #refuse(refusal: RefusalDraft): undefined {
    this.refusal = refusal;
    return undefined;
  }

  /** Of several domains that were tried, the first one's refusal is kept. Nobody asks for that of a planned node. */
  #refuseTypes(node: Candidate, demand: Demand, set: RequirementSet, shortages: readonly string[]): undefined {
    if (node.index >= 0 || this.refusal !== undefined) return undefined;
    const { template } = node;
    const groups = template.overheadGroups
      .map((_, group) => group)
      .filter((group) => !portsConflict(demand.ports, template.overheadGroups[group]!.ports));
    const considered = new BitSet();
    for (const group of groups) considered.unite(template.overheadGroups[group]!.variants);
    considered.intersect(node.variants);
    const largeEnough = this.#largeEnough.clone();
    return this.#refuse({ why: 'InstanceTypes', template, set, considered, largeEnough, groups, shortages });
  }
}

function isReservation(refusal: RefusalDraft | undefined): boolean {
  return refusal?.why === 'Reservation';
}

function unmet(
  why: 'Requirements' | 'VolumeRequirements',
  { placeholder }: Candidate,
  existing: RequirementSet,
  incoming: NodeNeeds,
): RefusalDraft {
  return { why, existing, incoming, hostname: placeholder };
}

function isOpen({ index, placeholder }: Candidate, hosts: readonly HostDemand[]): boolean {
  return hosts.every((host) => host.accepts(index < 0 ? 0 : host.group.planned.count(index), placeholder));
}
