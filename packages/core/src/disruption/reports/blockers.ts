import type { BlockReason } from '../candidates/candidate-filters.ts';
import type { NoConsolidation } from '../consolidation/consolidation-option.ts';
import type { Ineligibility } from '../candidates/eligibility.ts';

/** What keeps a node that should go where it is, as a value of the label `blocker` of metrics (spec 09 C5). */
export type Blocker =
  | 'pdb'
  | 'multiple_pdbs'
  | 'do_not_disrupt_pod'
  | 'do_not_disrupt_node'
  | 'nominated'
  | 'not_initialized'
  | 'min_age'
  | 'method_off'
  | 'budget'
  | 'window'
  | 'unschedulable'
  | 'needs_more_nodes'
  | 'no_cheaper'
  | 'min_savings'
  | 'spot_flexibility';

/** Undefined for a node that is on its way out or that no NodePool of ours governs: nothing waits for it. */
export function blockerOf(why: BlockReason): Blocker | undefined {
  switch (why.kind) {
    case 'NoNode':
    case 'NotInitialized':
      return 'not_initialized';
    case 'Nominated':
      return 'nominated';
    case 'NodeDoNotDisrupt':
      return 'do_not_disrupt_node';
    case 'PodDoNotDisrupt':
      return 'do_not_disrupt_pod';
    case 'MultipleBudgets':
      return 'multiple_pdbs';
    case 'NoDisruptionsAllowed':
    case 'FullyBlocking':
    case 'UnreadableSelector':
      return 'pdb';
    case 'Queued':
    case 'Unmanaged':
    case 'Deleting':
    case 'NoPoolLabel':
    case 'PoolNotFound':
      return undefined;
    default:
      return why satisfies never;
  }
}

/** Undefined if the node does not concern the method, so that nothing is blocked. */
export function blockerOfEligibility({ kind }: Ineligibility): Blocker | undefined {
  switch (kind) {
    case 'TooYoung':
    case 'RecentlySplit':
      return 'min_age';
    case 'MethodOff':
      return 'method_off';
    case 'StaticPool':
    case 'InstanceTypeNotFound':
    case 'LabelMissing':
    case 'ConsolidationDisabled':
    case 'OnlyWhenEmpty':
    case 'Empty':
    case 'NotEmpty':
    case 'NotConsolidatable':
    case 'NotDrifted':
    case 'NotExpired':
      return undefined;
    default:
      return kind satisfies never;
  }
}

/** Undefined for a node that is on its way out. */
export function blockerOfConsolidation({ kind }: NoConsolidation): Blocker | undefined {
  switch (kind) {
    case 'PodsUnschedulable':
      return 'unschedulable';
    case 'TooManyNewNodes':
      return 'needs_more_nodes';
    case 'NothingCheaper':
    case 'NothingCheaperTogether':
    case 'MinValues':
    case 'OverLimits':
      return 'no_cheaper';
    case 'SpotToSpotDisabled':
    case 'SpotFlexibility':
      return 'spot_flexibility';
    case 'MethodOff':
      return 'method_off';
    case 'SavingTooSmall':
      return 'min_savings';
    case 'CandidateIsDeleting':
      return undefined;
    default:
      return kind satisfies never;
  }
}
