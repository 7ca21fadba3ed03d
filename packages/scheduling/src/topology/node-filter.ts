import { admits, type ProviderProfile, toLabelRequirements } from '@karpenter-ts/apis';
import type { TaintTable } from '../checks/taints.ts';
import type { Pod, TopologySpreadConstraint } from '../objects/pod.ts';
import { requirementsOf } from '../packing/constraints.ts';
import type { Wishes } from '../packing/relaxation.ts';
import type { NodeNeeds, RequirementSet, RequirementSets } from '../requirements/requirement-set.ts';

/** Which nodes a spread rule looks at: those its pod could run on, as far as its policies say so (spec 02 §16.3). */
export interface NodeFilter {
  /** Any of these must be met; `undefined` if affinity is ignored. */
  readonly alternatives: readonly NodeNeeds[] | undefined;
  /** These must be enough; `undefined` if taints are ignored. */
  readonly tolerations: number | undefined;
  /** Equal for filters that share a group. Values of requirements do not count, as upstream. */
  readonly identity: string;
}

/** What a filter looks at. */
export interface FilteredNode {
  readonly set: RequirementSet;
  readonly taints: number;
  readonly hostname: string | undefined;
}

export interface FilterTables {
  readonly sets: RequirementSets;
  readonly taints: TaintTable;
  readonly profile: ProviderProfile;
}

/** The filter of one constraint, from all alternatives the pod still has. */
export function nodeFilterOf(
  pod: Pod,
  wishes: Wishes,
  constraint: TopologySpreadConstraint,
  { sets, taints, profile }: FilterTables,
): NodeFilter {
  const affinityPolicy = constraint.nodeAffinityPolicy ?? 'Honor';
  const taintsPolicy = constraint.nodeTaintsPolicy ?? 'Ignore';
  const selected = [...toLabelRequirements(pod.spec.nodeSelector ?? {}, profile).values()];
  const terms = wishes.requiredNodeTerms.length === 0 ? [undefined] : wishes.requiredNodeTerms;
  const alternatives = terms.map((term) => [...selected, ...requirementsOf(term, profile)]);
  const keys = alternatives.map((requirements) =>
    requirements
      .map(({ key }) => key)
      .sort()
      .join(','),
  );
  const tolerations = wishes.tolerations.map((toleration) => JSON.stringify(toleration));
  return {
    alternatives: affinityPolicy === 'Honor' ? alternatives.map((requirements) => sets.from(requirements)) : undefined,
    tolerations: taintsPolicy === 'Honor' ? taints.internTolerations(wishes.tolerations) : undefined,
    identity: JSON.stringify([
      affinityPolicy,
      taintsPolicy,
      [...new Set(keys)].sort(),
      [...new Set(tolerations)].sort(),
    ]),
  };
}

/** Whether pods on the node count. Labels the node does not have are absent, also on one still to be bought. */
export function passes(filter: NodeFilter | undefined, node: FilteredNode, { sets, taints }: FilterTables): boolean {
  if (filter === undefined) return true;
  if (filter.tolerations !== undefined && !taints.tolerates(filter.tolerations, node.taints)) return false;
  if (filter.alternatives === undefined) return true;
  for (const { set, hostname } of filter.alternatives) {
    if (!sets.accepts(node.set, set, 'strictly')) continue;
    if (hostname === undefined || (node.hostname !== undefined && admits(hostname, node.hostname))) return true;
  }
  return false;
}
