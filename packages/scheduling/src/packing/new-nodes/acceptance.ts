import { admits } from '@karpenter-ts/apis';
import type { HostPort } from '../../failure.ts';
import type { Reservations } from '../../checks/reservations.ts';
import type { TaintTable } from '../../model/pods/taints.ts';
import { BitSet } from '../../model/interning/bit-set.ts';
import { findShortages, withLoweredMinValues } from '../../model/instance-types/min-values.ts';
import type { ValueShortage } from '../../plan.ts';
import type { NodeNeeds, RequirementSet, RequirementSets } from '../../model/requirements/requirement-set.ts';
import type { ResourceVector } from '../../model/resources/resource-table.ts';
import type { HostBounds } from '../../topology/host-group.ts';
import type { Restriction } from '../../topology/restriction.ts';
import type { Demand } from '../demand.ts';
import { fittingVariants } from './fitting-variants.ts';
import { OfferedSupply } from './node-supply.ts';
import type { NodeTemplate } from './node-template.ts';
import { NONE_HELD } from './in-flight-node.ts';
import type { RawRefusal } from '../raw-refusal.ts';

/** A planned node, or a new one, that is asked to take a pod. */
export interface Candidate {
  readonly template: NodeTemplate;
  readonly set: RequirementSet;
  /** Of a new one, not changed any more: its refusal may refer to them. */
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

/**
 * For how long a planned node refuses a demand. Nodes only fill up and narrow down, so what no type of theirs can hold
 * now, none will: whatever rules say, or as long as they leave the pod the same domains. The one thing they gain is
 * custom labels, so a refusal for want of one holds for now.
 */
export type Lasting = 'ForNow' | 'InTheseDomains' | 'ForGood';

const FROM_SHORTEST: readonly Lasting[] = ['ForNow', 'InTheseDomains', 'ForGood'];

/** The checks a planned or new node makes before it takes a pod, in upstream's order (spec 02 §8.4). */
export class Acceptance {
  readonly #deps: AcceptanceDeps;
  readonly #largeEnough = new BitSet();
  /** What the node would be with the pod. Valid after `check` returned a set. */
  readonly variants = new BitSet();
  held: ReadonlySet<string> = NONE_HELD;
  minValuesLowered = false;
  /** Why not. Valid after `check` returned `undefined`. */
  refusal: RawRefusal | undefined;
  /**
   * For how long a planned node will say the same, or of a new one all that start as it does. Valid after `check` returned
   * `undefined`.
   */
  lasting: Lasting = 'ForNow';

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
    this.lasting = 'ForGood';
    if (!taints.tolerates(demand.tolerations, template.taints)) {
      return this.#refuse({ why: 'Taints', template, tolerations: demand.tolerations });
    }
    if (!this.#meets(node, node.set, demand.needs)) {
      this.lasting = this.#lastingOf(node.set, demand.needs);
      return this.#refuse(unmet('Requirements', node, node.set, demand.needs));
    }
    const merged = sets.merge(node.set, demand.needs.set);
    fittingVariants(this.#largeEnough, node.variants, template, node, demand);
    let shortest = FROM_SHORTEST.length;
    for (const alternative of demand.volumeAlternatives) {
      this.lasting = 'ForGood';
      const accepted = this.#checkAlternative(node, demand, merged, alternative, restriction, minValues);
      if (accepted !== undefined) return accepted;
      shortest = Math.min(shortest, FROM_SHORTEST.indexOf(this.lasting));
    }
    this.lasting = FROM_SHORTEST[shortest]!;
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
    if (!this.#meets(node, merged, alternative)) {
      this.lasting = this.#lastingOf(merged, alternative);
      return this.#refuse(unmet('VolumeRequirements', node, merged, alternative));
    }
    const set = this.#deps.sets.merge(merged, alternative.set);
    // Rules narrow a node further at most: what no type can hold before them it cannot hold after. Of a new node it is
    // still asked what the rules say, for the one who wants to know why.
    const isPossible = this.#largeEnough.overlaps(node.template.market.supply(set).usable);
    if (node.index >= 0 && !isPossible) return undefined;
    const accepted = this.#checkDomains(node, demand, set, restriction, minValues);
    if (!isPossible) this.lasting = 'ForGood';
    return accepted;
  }

  #checkDomains(
    node: Candidate,
    demand: Demand,
    set: RequirementSet,
    restriction: Restriction,
    minValues: 'Keep' | 'Lower',
  ): RequirementSet | undefined {
    this.lasting = 'ForNow';
    const supply = new OfferedSupply(this.#deps.sets, node.template.market, this.#largeEnough, minValues);
    const narrowed = isOpen(node, restriction.hosts) ? restriction.narrow(set, 'loosely', supply) : undefined;
    if (narrowed === undefined) return this.#refuse({ why: 'Topology', set, hostname: node.placeholder });
    this.refusal = undefined;
    for (const one of narrowed) {
      const accepted = this.#checkTypes(node, demand, one, minValues);
      if (accepted !== undefined) return accepted;
      if (isReservation(this.refusal)) return undefined;
    }
    this.lasting = 'InTheseDomains';
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
      if (shortages.length > 0 && minValues === 'Keep') {
        return this.#refuseTypes(node, demand, set, shortages);
      }
      this.minValuesLowered = shortages.length > 0;
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
    this.#refuse({ why: 'Reservation', problem, possible, held: node.held });
    return false;
  }

  #meets({ placeholder }: Candidate, set: RequirementSet, needs: NodeNeeds): boolean {
    if (needs.hostname !== undefined && !admits(needs.hostname, placeholder)) return false;
    return this.#deps.sets.accepts(set, needs.set, 'loosely');
  }

  /** A custom label the node has not may yet be given to it, by a pod that asks for something else of that label. */
  #lastingOf(set: RequirementSet, needs: NodeNeeds): Lasting {
    const missing = this.#deps.sets.labelsToDefine(needs.set).some((key) => set.find(key) < 0);
    return missing ? 'ForNow' : 'ForGood';
  }

  #refuse(refusal: RawRefusal): undefined {
    this.refusal = refusal;
    return undefined;
  }

  /** Of several domains that were tried, the first one's refusal is kept. Nobody asks for that of a planned node. */
  #refuseTypes(node: Candidate, demand: Demand, set: RequirementSet, shortages: readonly ValueShortage[]): undefined {
    if (node.index >= 0 || this.refusal !== undefined) return undefined;
    const { template, variants } = node;
    return this.#refuse({ why: 'InstanceTypes', template, set, demand, variants, shortages });
  }
}

function isReservation(refusal: RawRefusal | undefined): boolean {
  return refusal?.why === 'Reservation';
}

function unmet(
  why: 'Requirements' | 'VolumeRequirements',
  { placeholder }: Candidate,
  existing: RequirementSet,
  incoming: NodeNeeds,
): RawRefusal {
  return { why, existing, incoming, hostname: placeholder };
}

function isOpen({ index, placeholder }: Candidate, hosts: readonly HostBounds[]): boolean {
  for (const host of hosts) {
    if (!host.accepts(index < 0 ? 0 : host.group.planned.count(index), placeholder)) return false;
  }
  return true;
}
