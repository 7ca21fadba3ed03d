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

/** An in-flight node, or a new one, that is asked to take a pod. */
export interface Candidate {
  readonly template: NodeTemplate;
  readonly set: RequirementSet;
  /** Those of a new node must not be changed, because its refusal may refer to them. */
  readonly variants: BitSet;
  readonly requests: ResourceVector;
  readonly ports: readonly HostPort[];
  readonly held: ReadonlySet<string>;
  readonly placeholder: string;
  /** The number of an in-flight node, or −1 for a new node. */
  readonly index: number;
}

export interface AcceptanceDeps {
  readonly sets: RequirementSets;
  readonly taints: TaintTable;
  readonly reservations: Reservations;
  readonly reservedCapacity: 'Strict' | 'Fallback' | 'Off';
}

/**
 * For how long an in-flight node refuses a demand. Nodes only fill up and narrow down. So a demand that no instance type of
 * a node can hold now is refused for good, or for as long as topology leaves the pod the same domains. The one thing that a
 * node can gain is a custom label, so a refusal for want of a label holds only for now.
 */
export type Lasting = 'ForNow' | 'InTheseDomains' | 'ForGood';

const FROM_SHORTEST: readonly Lasting[] = ['ForNow', 'InTheseDomains', 'ForGood'];

/** The node takes the pod: what the node becomes with the pod on it. */
export interface Accepted {
  readonly isAccepted: true;
  readonly set: RequirementSet;
  readonly variants: BitSet;
  /** The reservations that the node then holds. */
  readonly held: ReadonlySet<string>;
  readonly minValuesLowered: boolean;
}

/** The node does not take the pod. */
export interface Refused {
  readonly isAccepted: false;
  /** Why not. An in-flight node does not always say, because nobody reads its reasons. */
  readonly refusal: RawRefusal | undefined;
  /** For how long an in-flight node will refuse; of a new node, for how long all that start like it will. */
  readonly lasting: Lasting;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The checks that an in-flight or new node makes before it takes a pod, in upstream's order (spec 02 §8.4). */
export class Acceptance {
  readonly #deps: AcceptanceDeps;
  readonly #largeEnough = new BitSet();
  readonly #accepted: Writable<Accepted>;
  readonly #refused: Writable<Refused> = { isAccepted: false, refusal: undefined, lasting: 'ForNow' };

  constructor(deps: AcceptanceDeps) {
    this.#deps = deps;
    this.#accepted = {
      isAccepted: true,
      set: deps.sets.empty,
      variants: new BitSet(),
      held: NONE_HELD,
      minValuesLowered: false,
    };
  }

  /** Whether a node takes a pod. Changes nothing. The result is valid until the next check, which reuses the object. */
  check(node: Candidate, demand: Demand, restriction: Restriction, minValues: 'Keep' | 'Lower'): Accepted | Refused {
    const set = this.#check(node, demand, restriction, minValues);
    if (set === undefined) return this.#refused;
    this.#accepted.set = set;
    return this.#accepted;
  }

  /** The node's requirements with the pod on it; `undefined` if it does not take the pod. */
  #check(
    node: Candidate,
    demand: Demand,
    restriction: Restriction,
    minValues: 'Keep' | 'Lower',
  ): RequirementSet | undefined {
    const { sets, taints } = this.#deps;
    const { template } = node;
    this.#refused.lasting = 'ForGood';
    if (!taints.tolerates(demand.tolerations, template.taints)) {
      return this.#refuse({ why: 'Taints', template, tolerations: demand.tolerations });
    }
    if (!this.#meets(node, node.set, demand.needs)) {
      this.#refused.lasting = this.#lastingOf(node.set, demand.needs);
      return this.#refuse(unmet('Requirements', node, node.set, demand.needs));
    }
    const merged = sets.merge(node.set, demand.needs.set);
    fittingVariants(this.#largeEnough, node.variants, template, node, demand);
    let shortest = FROM_SHORTEST.length;
    for (const alternative of demand.volumeAlternatives) {
      this.#refused.lasting = 'ForGood';
      const accepted = this.#checkAlternative(node, demand, merged, alternative, restriction, minValues);
      if (accepted !== undefined) return accepted;
      shortest = Math.min(shortest, FROM_SHORTEST.indexOf(this.#refused.lasting));
    }
    this.#refused.lasting = FROM_SHORTEST[shortest]!;
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
      this.#refused.lasting = this.#lastingOf(merged, alternative);
      return this.#refuse(unmet('VolumeRequirements', node, merged, alternative));
    }
    const set = this.#deps.sets.merge(merged, alternative.set);
    // Rules narrow a node further at most: what no type can hold before them it cannot hold after. Of a new node it is
    // still asked what the rules say, for the one who wants to know why.
    const isPossible = this.#largeEnough.overlaps(node.template.market.supply(set).usable);
    if (node.index >= 0 && !isPossible) return undefined;
    const accepted = this.#checkDomains(node, demand, set, restriction, minValues);
    if (!isPossible) this.#refused.lasting = 'ForGood';
    return accepted;
  }

  #checkDomains(
    node: Candidate,
    demand: Demand,
    set: RequirementSet,
    restriction: Restriction,
    minValues: 'Keep' | 'Lower',
  ): RequirementSet | undefined {
    this.#refused.lasting = 'ForNow';
    const supply = new OfferedSupply(this.#deps.sets, node.template.market, this.#largeEnough, minValues);
    const narrowed = isOpen(node, restriction.hosts) ? restriction.narrow(set, 'loosely', supply) : undefined;
    if (narrowed === undefined) return this.#refuse({ why: 'Topology', set, hostname: node.placeholder });
    this.#refused.refusal = undefined;
    for (const one of narrowed) {
      const accepted = this.#checkTypes(node, demand, one, minValues);
      if (accepted !== undefined) return accepted;
      if (isReservation(this.#refused.refusal)) return undefined;
    }
    this.#refused.lasting = 'InTheseDomains';
    return undefined;
  }

  #checkTypes(node: Candidate, demand: Demand, set: RequirementSet, minValues: 'Keep' | 'Lower') {
    const { sets } = this.#deps;
    const { market } = node.template;
    this.#accepted.variants.copyFrom(this.#largeEnough);
    this.#accepted.minValuesLowered = false;
    if (!this.#accepted.variants.intersect(market.supply(set).usable)) return this.#refuseTypes(node, demand, set, []);
    let accepted = set;
    if (set.hasMinValues) {
      const shortages = findShortages(set, sets, market.catalogue, this.#accepted.variants);
      if (shortages.length > 0 && minValues === 'Keep') {
        return this.#refuseTypes(node, demand, set, shortages);
      }
      this.#accepted.minValuesLowered = shortages.length > 0;
      accepted = withLoweredMinValues(set, sets, shortages);
    }
    return this.#reserve(node, accepted) ? accepted : undefined;
  }

  /** Finds the reservations the node would hold. False if it may not do without (spec 02 §20). */
  #reserve(node: Candidate, set: RequirementSet): boolean {
    const { reservations, reservedCapacity } = this.#deps;
    const { market } = node.template;
    this.#accepted.held = NONE_HELD;
    if (market.catalogue.reserved.length === 0 || reservedCapacity === 'Off') return true;
    const possible = market.catalogue.reserved.filter(
      ({ variants, kind }) => variants.overlaps(this.#accepted.variants) && market.isOffered(kind, set),
    );
    const ids = possible.map(({ reservation }) => reservation).filter((id) => reservations.canHold(id, node.held));
    this.#accepted.held = new Set(ids);
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
    this.#refused.refusal = refusal;
    return undefined;
  }

  /** Of several domains that were tried, the first one's refusal is kept. Nobody asks for that of a planned node. */
  #refuseTypes(node: Candidate, demand: Demand, set: RequirementSet, shortages: readonly ValueShortage[]): undefined {
    if (node.index >= 0 || this.#refused.refusal !== undefined) return undefined;
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
