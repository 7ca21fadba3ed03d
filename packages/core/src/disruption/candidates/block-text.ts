import { DO_NOT_DISRUPT, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import { goQuote, objectKey } from '@karpenter-ts/kubernetes';
import { durationText } from '@karpenter-ts/runtime';
import type { BlockReason } from './candidate-filters.ts';
import type { Ineligibility } from './eligibility.ts';

/**
 * The message of the event `DisruptionBlocked` about a state node, in upstream's words (spec 04 §3). Undefined if there
 * is no event: the node is none of ours, or it is being disrupted.
 */
export function renderBlock(why: BlockReason): string | undefined {
  switch (why.kind) {
    case 'Queued':
    case 'Unmanaged':
      return undefined;
    case 'NoNode':
      return 'Nodeclaim does not have an associated node';
    case 'NotInitialized':
      return "Node isn't initialized";
    case 'Deleting':
      return 'Node is deleting or marked for deletion';
    case 'Nominated':
      return 'Node is nominated for a pending pod';
    case 'NodeDoNotDisrupt':
      return `Disruption is blocked through the "${DO_NOT_DISRUPT}" annotation`;
    case 'NoPoolLabel':
      return `Node doesn't have required label (label=${NODEPOOL_LABEL})`;
    case 'PoolNotFound':
      return `NodePool not found (NodePool=${why.nodePool})`;
    case 'PodDoNotDisrupt':
      return `Pod has "${DO_NOT_DISRUPT}" annotation (Pod=${objectKey(why.pod.metadata)})`;
    case 'MultipleBudgets':
      return `Eviction does not support multiple PDBs (PodDisruptionBudget(s)=[${keysOf(why.budgets)}])`;
    case 'NoDisruptionsAllowed':
    case 'FullyBlocking':
    case 'UnreadableSelector':
      return `Pdb prevents pod evictions (PodDisruptionBudget=[${keysOf(why.budgets)}])`;
    default:
      return why satisfies never;
  }
}

/**
 * The message of the event `Unconsolidatable` about a candidate, in upstream's words (spec 04 §8, §11.1). Undefined if
 * there is no event, because the candidate simply does not concern the method.
 */
export function renderIneligibility(why: Ineligibility): string | undefined {
  switch (why.kind) {
    case 'InstanceTypeNotFound':
      return `Instance Type ${goQuote(why.instanceType)} not found`;
    case 'LabelMissing':
      return `Node does not have label ${goQuote(why.label)}`;
    case 'ConsolidationDisabled':
      return `NodePool ${goQuote(why.nodePool)} has consolidation disabled`;
    case 'OnlyWhenEmpty':
      return `NodePool ${goQuote(why.nodePool)} has consolidation policy WhenEmpty, but node is not empty`;
    case 'TooYoung':
      return Number.isFinite(why.minimum)
        ? `Node is younger than the pool's minimum age (${shortDuration(why.minimum)})`
        : "The pool's minimum age cannot be read";
    case 'MethodOff':
    case 'RecentlySplit':
    case 'StaticPool':
    case 'Empty':
    case 'NotEmpty':
    case 'NotConsolidatable':
    case 'NotDrifted':
    case 'NotExpired':
      return undefined;
    default:
      return why satisfies never;
  }
}

/** A duration as people write it: `30m` where Go has `30m0s`. */
function shortDuration(milliseconds: number): string {
  return durationText(milliseconds)
    .replace(/(?<=[hm])0s$/, '')
    .replace(/(?<=h)0m$/, '');
}

function keysOf(budgets: readonly { readonly metadata: Parameters<typeof objectKey>[0] }[]): string {
  return budgets.map(({ metadata }) => objectKey(metadata)).join(' ');
}
