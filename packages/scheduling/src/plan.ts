import type { Requirements } from '@karpenter-ts/apis';
import type { Failure } from './explanation/reason.ts';
import type {
  NodeSelectorTerm,
  Pod,
  PreferredNodeTerm,
  PreferredPodTerm,
  TopologySpreadConstraint,
} from './objects/pod.ts';
import type { Amounts } from './resources/amounts.ts';

/** Which pod goes where, which nodes to buy, and why some pods have no place. */
export interface Plan {
  /** In the order they were opened. */
  readonly newNodes: readonly PlannedNode[];
  /** Existing nodes that receive pods, in the order they are tried. */
  readonly existingNodes: readonly NodePlacement[];
  readonly unschedulable: readonly UnschedulablePod[];
  /** Not decided when planning was stopped early; empty otherwise. */
  readonly undecided: readonly Pod[];
  /** Pools that could not be used at all, in order of the pools. */
  readonly unusablePools: readonly UnusablePool[];
  /** Of all new nodes. */
  readonly pricePerHour: number;
}

/** A node to buy. */
export interface PlannedNode {
  /** Names the node within this plan only; it is the hostname topology counted with. */
  readonly placeholder: string;
  readonly nodePool: string;
  /** In the order they were placed. */
  readonly pods: readonly PlacedPod[];
  /** Types on which all its pods and daemons fit, cheapest first, at most `maxInstanceTypes`. */
  readonly instanceTypes: readonly string[];
  /** All that must hold of the node, without its hostname; includes `registered` and `initialized`. */
  readonly requirements: Requirements;
  /** Of its pods and of the daemons that run on every type listed. */
  readonly requests: Amounts;
  /** Of the cheapest available offering that meets the requirements. */
  readonly pricePerHour: number;
  /** Reservations it may draw on, sorted. */
  readonly reservations: readonly string[];
  /** Whether `minValues` was lowered for it. */
  readonly minValuesRelaxed: boolean;
}

/** An existing node and what it receives. */
export interface NodePlacement {
  readonly node: string;
  readonly pods: readonly PlacedPod[];
}

export interface PlacedPod {
  readonly pod: Pod;
  /** What had to be given up to place it, in order. */
  readonly relaxations: readonly Relaxation[];
}

/** One step of giving up what a pod would rather have (spec 02 §18). */
export type Relaxation =
  | { readonly gaveUp: 'RequiredNodeTerm'; readonly term: NodeSelectorTerm }
  | { readonly gaveUp: 'PreferredPodAffinity'; readonly term: PreferredPodTerm }
  | { readonly gaveUp: 'PreferredPodAntiAffinity'; readonly term: PreferredPodTerm }
  | { readonly gaveUp: 'PreferredNodeTerm'; readonly term: PreferredNodeTerm }
  | { readonly gaveUp: 'ScheduleAnyway'; readonly constraint: TopologySpreadConstraint }
  | { readonly gaveUp: 'PreferNoSchedule' };

export interface UnschedulablePod {
  readonly pod: Pod;
  readonly failure: Failure;
}

export interface UnusablePool {
  readonly nodePool: string;
  /** Types would have met its requirements, but too few for `minValues`. */
  readonly minValuesUnmet: boolean;
}
