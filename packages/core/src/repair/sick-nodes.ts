import type { RepairPolicy } from '@karpenter-ts/cloudprovider';
import type { Instant } from '@karpenter-ts/runtime';
import type { Node } from '../kinds/node.ts';

/** What is wrong with a node, and from when on it need not be put up with. */
export interface Sickness {
  readonly condition: string;
  readonly due: Instant;
}

/** Of all that is wrong with a node, what is due first; undefined for a healthy one (spec 03 §14). */
export function findSickness(node: Node, policies: readonly RepairPolicy[]): Sickness | undefined {
  const found = policies.flatMap((policy) => sicknessUnder(node, policy) ?? []);
  return found.reduce<Sickness | undefined>((first, one) => (first && first.due <= one.due ? first : one), undefined);
}

function sicknessUnder(node: Node, { conditionType, conditionStatus, toleration }: RepairPolicy): Sickness | undefined {
  const condition = node.status?.conditions?.find(({ type }) => type === conditionType);
  if (condition?.status !== conditionStatus) return undefined;
  const since = Date.parse(condition.lastTransitionTime ?? '') || 0;
  return { condition: conditionType, due: since + toleration };
}

/** How many of a hundred nodes may be sick; if more are, the fault is likely elsewhere. */
const MOST_SICK_PERCENT = 20;

/** Whether so many of these nodes are sick that replacing them would only make it worse. */
export function areTooManySick(nodes: readonly Node[], policies: readonly RepairPolicy[]): boolean {
  const sick = nodes.filter((node) => findSickness(node, policies) !== undefined).length;
  return sick > Math.ceil((nodes.length * MOST_SICK_PERCENT) / 100);
}
