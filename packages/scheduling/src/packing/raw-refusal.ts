import type { PoolLimits } from '../checks/pool-limits.ts';
import type { ReservedOffering } from '../model/instance-types/catalogue.ts';
import type { PlainRefusal } from '../failure.ts';
import type { BitSet } from '../model/interning/bit-set.ts';
import type { ValueShortage } from '../plan.ts';
import type { NodeNeeds, RequirementSet } from '../model/requirements/requirement-set.ts';
import type { Group } from '../topology/group-lists.ts';
import type { BindingRule } from '../topology/topology.ts';
import type { Demand } from './demand.ts';
import type { NodeTemplate } from './new-nodes/node-template.ts';
import type { PodClass } from '../model/pods/pod-class.ts';
import type { Stage } from '../model/pods/constraints.ts';

/** A refusal in interned terms. It is cheap to make, and becomes plain data only for pods that get no place. */
export type RawRefusal =
  | PlainRefusal
  | RawLimitRefusal
  | { readonly why: 'Taints'; readonly template: NodeTemplate; readonly tolerations: number }
  | {
      readonly why: 'Requirements' | 'VolumeRequirements';
      readonly existing: RequirementSet;
      readonly incoming: NodeNeeds;
      readonly hostname: string;
    }
  /** Which rule refused is found out later, from the requirement set as it was before any rule. */
  | { readonly why: 'Topology'; readonly set: RequirementSet; readonly hostname: string }
  | RawInstanceTypeRefusal
  | RawReservationRefusal;

export interface RawLimitRefusal {
  readonly why: 'ResourceLimits';
  readonly template: NodeTemplate;
  /** These do not change any more, because the pool opens no more nodes. */
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

/** What may help a pod that was refused: the counts of a group change, a node is opened, or a node gets a new label. */
export type RunEvent = Group | 'NodeOpened' | 'NodeLabelled';

/** The answers of the pools to a pod at its last stage. */
export interface RawFailure {
  readonly podClass: PodClass;
  readonly stage: Stage;
  readonly binding: readonly BindingRule[];
  readonly refusals: readonly { readonly nodePool: string; readonly refusal: RawRefusal }[];
  /** Only one of these events can help; `undefined` if any placement might. */
  readonly waitsFor: readonly RunEvent[] | undefined;
}
