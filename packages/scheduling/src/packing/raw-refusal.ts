import type { PoolLimits } from '../checks/pool-limits.ts';
import type { ReservedOffering } from '../model/instance-types/catalogue.ts';
import type { BitSet } from '../model/interning/bit-set.ts';
import type { ValueShortage } from '../plan.ts';
import type { NodeNeeds, RequirementSet } from '../model/requirements/requirement-set.ts';
import type { Group } from '../topology/group-lists.ts';
import type { BindingRule } from '../topology/topology.ts';
import type { Demand } from './demand.ts';
import type { NodeTemplate } from './new-nodes/node-template.ts';
import type { PodClass } from '../model/pods/pod-class.ts';
import type { Stage } from '../model/pods/constraints.ts';

/** A refusal in the run's own terms: cheap to make, and put into words and plain data only for pods that stay without. */
export type RawRefusal =
  | RawLimitRefusal
  | { readonly why: 'Taints'; readonly template: NodeTemplate; readonly tolerations: number }
  | {
      readonly why: 'Requirements' | 'VolumeRequirements';
      readonly existing: RequirementSet;
      readonly incoming: NodeNeeds;
      readonly hostname: string;
    }
  /** Which rule it was is found out later, from the set as it was before any rule. */
  | { readonly why: 'Topology'; readonly set: RequirementSet; readonly hostname: string }
  | RawInstanceTypeRefusal
  | RawReservationRefusal;

export interface RawLimitRefusal {
  readonly why: 'NodeLimit' | 'ResourceLimits';
  readonly template: NodeTemplate;
  /** A pool that opens no more nodes grows no further: still as it was. */
  readonly limits: PoolLimits;
}

export interface RawInstanceTypeRefusal {
  readonly why: 'InstanceTypes';
  readonly template: NodeTemplate;
  readonly set: RequirementSet;
  readonly demand: Demand;
  /** Variants within the pool's limits. */
  readonly variants: BitSet;
  readonly shortages: readonly ValueShortage[];
}

export interface RawReservationRefusal {
  readonly why: 'Reservation';
  readonly problem: 'Taken' | 'WouldBeLost';
  readonly possible: readonly ReservedOffering[];
  readonly held: ReadonlySet<string>;
}

/** What may open a place: the counts of a group change, a node is opened, or one gets a label it did not have. */
export type RunEvent = Group | 'NodeOpened' | 'NodeLabelled';

/** What the pools answered to a pod at its last stage. */
export interface RawFailure {
  readonly podClass: PodClass;
  readonly stage: Stage;
  readonly binding: readonly BindingRule[];
  readonly refusals: readonly { readonly nodePool: string; readonly refusal: RawRefusal }[];
  /** Nothing can help but one of these; `undefined` if any placement might. */
  readonly waitsFor: readonly RunEvent[] | undefined;
}
