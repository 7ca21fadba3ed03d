import { goQuote } from '@karpenter-ts/kubernetes';
import { renderShortage } from '@karpenter-ts/scheduling';
import { renderShortfall } from './minimum-savings.ts';
import { type NoConsolidation, SPOT_FLEXIBILITY } from './consolidation-option.ts';
import { asSentence, renderSimulationErrors } from '../simulation/simulation-text.ts';

/** The text of the event `Unconsolidatable` about a single candidate, in upstream's words; none if it tells nothing. */
export function renderNoConsolidation(why: NoConsolidation): string | undefined {
  switch (why.kind) {
    case 'CandidateIsDeleting':
      return undefined;
    case 'PodsUnschedulable':
      return asSentence(renderSimulationErrors(why.errors));
    case 'TooManyNewNodes':
      return `Can't remove without creating ${why.newNodes} candidates`;
    case 'NothingCheaperTogether':
      return `Can't replace with ${why.newNodes} cheaper nodes`;
    case 'OverLimits':
      return `Can't replace with several nodes, ${why.resource} of old and new nodes exceeds the limits of nodepool ${goQuote(why.nodePool)}`;
    case 'SpotToSpotDisabled':
      return "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node";
    case 'MinValues':
      return `Filtering by price: ${renderShortage(why.shortOf)}`;
    case 'NothingCheaper':
      return "Can't replace with a cheaper node";
    case 'SpotFlexibility':
      return (
        `SpotToSpotConsolidation requires ${SPOT_FLEXIBILITY} cheaper instance type options than the current ` +
        `candidate to consolidate, got ${why.cheaperTypes}`
      );
    case 'MethodOff':
      return `nodepool ${goQuote(why.nodePool)} does not allow ${why.method}`;
    case 'SavingTooSmall':
      return renderShortfall(why);
    default:
      return why satisfies never;
  }
}
