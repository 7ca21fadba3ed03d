import type { FilteredNode } from '../model/nodes/cluster-nodes.ts';
import {
  admits,
  HOSTNAME_LABEL,
  normalizeLabelKey,
  type ProviderProfile,
  type Requirement,
  toLabelRequirements,
  toRequirement,
} from '@karpenter-ts/apis';
import { type TaintTable, TOLERATE_PREFER_NO_SCHEDULE } from '../model/pods/taints.ts';
import type { Pod, TopologySpreadConstraint } from '@karpenter-ts/kubernetes';
import { requirementsOf } from '../model/pods/constraints.ts';
import type { NodeNeeds, RequirementSets } from '../model/requirements/requirement-set.ts';

/** Which nodes a spread rule looks at: those its pod could run on, as far as its policies say so (spec 02 §16.3). */
export interface NodeFilter {
  /** Any of these must be met; `undefined` if every node meets them. */
  readonly alternatives: readonly NodeNeeds[] | undefined;
  /** These must be enough; `undefined` if taints are ignored. */
  readonly tolerations: number | undefined;
  /** Equal for filters that let the same nodes pass, of pods that tolerate the same. */
  readonly identity: string;
}

export interface FilterTables {
  readonly sets: RequirementSets;
  readonly taints: TaintTable;
  readonly profile: ProviderProfile;
}

/**
 * The filter of one constraint. It is the same whatever a pod gives up, as it is for the kube-scheduler: all alternatives
 * of the required node affinity count, and taints that merely put off (PreferNoSchedule) do not. So pods that give up
 * different things share their counts. A node that lacks the topology key of another hard constraint of the pod does not
 * count either.
 */
export function nodeFilterOf(
  { spec }: Pod,
  constraint: TopologySpreadConstraint,
  { sets, taints, profile }: FilterTables,
): NodeFilter {
  const affinityPolicy = constraint.nodeAffinityPolicy ?? 'Honor';
  const taintsPolicy = constraint.nodeTaintsPolicy ?? 'Ignore';
  const selected = [...toLabelRequirements(spec.nodeSelector ?? {}, profile).values()];
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const keys = keysToHave(spec, constraint, profile);
  const honoured =
    required.length === 0 ? [selected] : required.map((term) => [...selected, ...requirementsOf(term, profile)]);
  const asked = affinityPolicy === 'Honor' ? honoured : [[]];
  const alternatives = asked.map((requirements) => sets.from([...requirements, ...keys]));
  const isOpen = affinityPolicy !== 'Honor' && keys.length === 0;
  const tolerations = taints.internTolerations([...(spec.tolerations ?? []), TOLERATE_PREFER_NO_SCHEDULE]);
  const texts = isOpen ? [] : [...new Set(alternatives.map(needsText))].sort();
  return {
    alternatives: isOpen ? undefined : alternatives,
    tolerations: taintsPolicy === 'Honor' ? tolerations : undefined,
    identity: JSON.stringify([affinityPolicy, taintsPolicy, texts, tolerations]),
  };
}

/**
 * The labels that a node must have to count for a hard constraint: the topology keys of all hard constraints of the pod,
 * as kube-scheduler wants it. Well-known labels are left out: every node has those, one still to be bought as well.
 */
function keysToHave(
  { topologySpreadConstraints = [] }: Pod['spec'],
  { whenUnsatisfiable }: TopologySpreadConstraint,
  profile: ProviderProfile,
): readonly Requirement[] {
  if (whenUnsatisfiable !== 'DoNotSchedule') return [];
  return topologySpreadConstraints
    .filter((one) => one.whenUnsatisfiable === 'DoNotSchedule')
    .map(({ topologyKey }) => normalizeLabelKey(topologyKey, profile))
    .filter((key) => key !== HOSTNAME_LABEL && !profile.wellKnownLabels.has(key))
    .map((key) => toRequirement({ key, operator: 'Exists', values: [] }, profile));
}

function needsText({ set, hostname }: NodeNeeds): string {
  return hostname === undefined
    ? `${set.id}`
    : `${set.id} ${hostname.complement} ${[...hostname.values].sort().join()}`;
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
