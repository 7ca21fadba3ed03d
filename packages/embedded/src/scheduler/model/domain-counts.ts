import { type LabelSelector, matchesLabels } from '@karpenter-ts/kubernetes';
import type { NodeEntry } from './node-entry.ts';
import type { PodClass } from './pod-class.ts';
import type { Snapshot } from './snapshot.ts';
import type { SpreadConstraint } from './spread-constraint.ts';
import { areTolerated } from './toleration.ts';

/**
 * Counts for each constraint the selected pods in each domain; domains without any count 0. The cost is one look at
 * every node and every pod class, plus the nodes of the selected classes.
 */
export function countDomains(
  pod: PodClass,
  constraints: readonly SpreadConstraint[],
  { nodes, nodesByClass }: Snapshot,
): readonly Map<string, number>[] {
  const keys = constraints.map(({ topologyKey }) => topologyKey);
  return constraints.map((constraint) => {
    const { topologyKey, selector } = constraint;
    const counts = new Map<string, number>();
    for (const node of nodes) if (isCounted(node, pod, constraint, keys)) counts.set(node.labels[topologyKey]!, 0);
    for (const [other, podCounts] of nodesByClass) {
      if (other.namespace !== pod.namespace || other.isTerminating || !selects(selector, other)) continue;
      for (const [node, count] of podCounts) {
        if (!isCounted(node, pod, constraint, keys)) continue;
        const domain = node.labels[topologyKey]!;
        counts.set(domain, counts.get(domain)! + count);
      }
    }
    return counts;
  });
}

/**
 * Whether a node counts for the constraint: it has the labels of all constraints, and the inclusion policies admit it.
 */
function isCounted(
  node: NodeEntry,
  pod: PodClass,
  { honoursAffinity, honoursTaints }: SpreadConstraint,
  keys: readonly string[],
): boolean {
  if (!node.isThere) return false;
  for (let i = 0; i < keys.length; i++) if (node.labels[keys[i]!] === undefined) return false;
  if (honoursAffinity && pod.requiredNodes !== undefined && !pod.requiredNodes(node)) return false;
  return !honoursTaints || areTolerated(node.taints, pod.tolerations);
}

/** An empty selector, which elsewhere selects everything, selects nothing here, like upstream. */
function selects(selector: LabelSelector, { labels }: PodClass): boolean {
  return selector.kind === 'requirements' && selector.requirements.length > 0 && matchesLabels(selector, labels);
}
