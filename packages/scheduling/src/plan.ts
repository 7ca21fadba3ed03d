import type { Requirements } from '@karpenter-ts/apis';
import type { Failure } from './failure.ts';
import type {
  Amounts,
  NodeSelectorTerm,
  Pod,
  PreferredSchedulingTerm,
  TopologySpreadConstraint,
  WeightedPodAffinityTerm,
} from '@karpenter-ts/kubernetes';

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
  /** How it came to be this plan; absent where no other was to be looked for. */
  readonly packing?: PackingDecision;
}

/** Two plans for the same pods, and which of them was taken (spec 09 A1). */
export interface PackingDecision {
  readonly taken: PlanSource;
  readonly why: PackingReason;
  readonly upstream: PlanCost;
  /** Of the cheapest other plan found that breaks no rule; `undefined` if there is none, or nobody looked. */
  readonly costAware: PlanCost | undefined;
}

/** Whose plan a node comes from. */
export type PlanSource = 'upstream' | 'cost-aware';

export type PackingReason =
  /** The other plan is cheaper, by enough. */
  | 'Cheaper'
  /** It is cheaper, but by less than the least gain; or not at all. */
  | 'GainTooSmall'
  /** No other plan was found that breaks no rule. */
  | 'NoneFound'
  /** Nothing was bought, or nothing of what was bought may be changed. */
  | 'NothingToChange'
  /** Prices are linear in size: large nodes cost per unit what small ones do, so there is nothing to look for. */
  | 'LinearPrices'
  /** Every pool asks for upstream's plan. */
  | 'Policy'
  /** The search was told to stop. */
  | 'Stopped';

/** What a plan costs. */
export interface PlanCost {
  readonly nodes: number;
  readonly pricePerHour: number;
  /** Of all nodes, beside the price. */
  readonly feesPerHour: number;
}

/** A node to buy. */
export interface PlannedNode {
  /** Names the node within this plan only; it is the hostname topology counted with. */
  readonly placeholder: string;
  readonly nodePool: string;
  /** In the order they were placed. */
  readonly pods: readonly PlacedPod[];
  /**
   * Types on which all its pods and daemons fit, cheapest first, at most `maxInstanceTypes`. Last resorts come behind all
   * others.
   */
  readonly instanceTypes: readonly string[];
  /** How many of the types, at the end, a launch takes only if it gets none of the others; 0 if there are no others. */
  readonly lastResorts: number;
  /** Those at least one of its types can be had as within the requirements, sorted. */
  readonly capacityTypes: readonly string[];
  /** All that must hold of the node, without its hostname; includes `registered` and `initialized`. */
  readonly requirements: Requirements;
  /** Of its pods and of the daemons that run on every type listed. */
  readonly requests: Amounts;
  /** Of the cheapest available offering that meets the requirements, of types that are not last resorts. */
  readonly pricePerHour: number;
  /** Reservations it may draw on, sorted. */
  readonly reservations: readonly string[];
  /** Whether `minValues` was lowered for it. */
  readonly minValuesRelaxed: boolean;
  readonly source: PlanSource;
}

/** The types among which a launch chooses as long as it gets any of them. */
export function launchChoices({ instanceTypes, lastResorts }: PlannedNode): readonly string[] {
  return lastResorts === 0 ? instanceTypes : instanceTypes.slice(0, -lastResorts);
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
  | { readonly gaveUp: 'PreferredPodAffinity'; readonly term: WeightedPodAffinityTerm }
  | { readonly gaveUp: 'PreferredPodAntiAffinity'; readonly term: WeightedPodAffinityTerm }
  | { readonly gaveUp: 'PreferredNodeTerm'; readonly term: PreferredSchedulingTerm }
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
  /** The labels of which there are too few values then. */
  readonly shortOf: readonly ValueShortage[];
}

/** A label of which there is less variety than `minValues` asks for. */
export interface ValueShortage {
  readonly label: string;
  readonly wanted: number;
  readonly found: number;
}

/** To a millionth of a dollar: adding up prices leaves noise far behind that. */
export function roundPrice(pricePerHour: number): number {
  return Math.round(pricePerHour * 1e6) / 1e6;
}
