import type { EC2NodeClass } from '@karpenter-ts/apis';
import { goQuote } from '@karpenter-ts/kubernetes';
import type { PlacementGroupAnswer } from './placement-groups.ts';

/** What the condition `PlacementGroupReady` of a NodeClass says. */
export type PlacementGroupVerdict =
  | { readonly status: 'True' }
  | { readonly status: 'False'; readonly reason: string; readonly message: string };

/** The condition that follows from what EC2 answered (spec 07 §24). A failure comes before the group of before. */
export function placementGroupVerdict(
  { spec }: EC2NodeClass,
  { group, error }: PlacementGroupAnswer,
): PlacementGroupVerdict {
  if (error !== undefined) {
    const message = 'Failed to resolve placement group';
    return { status: 'False', reason: 'PlacementGroupResolutionFailed', message };
  }
  const selector = spec?.placementGroupSelector;
  if (selector === undefined || group !== undefined) return { status: 'True' };
  const message = `Placement group ${goQuote(selector.name || selector.id || '')} not found`;
  return { status: 'False', reason: 'PlacementGroupNotFound', message };
}
