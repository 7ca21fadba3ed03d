import { AWS_PROFILE, HOSTNAME_LABEL, KWOK_PROFILE, NODEPOOL_LABEL, type RequirementSpec } from '@karpenter-ts/apis';
import type { OfflineObjects } from '@karpenter-ts/core';
import { objectKey, type Pod } from '@karpenter-ts/kubernetes';

/** Labels that providers set by instance type, so that a NodePool cannot bring them. */
const OF_TYPES = KWOK_PROFILE.wellKnownLabels.union(AWS_PROFILE.wellKnownLabels);

const MOST_PODS_NAMED = 3;

/** Requirements that nothing can meet, because no instance type, no NodePool and no Node has the label. */
export function findUnknownLabels({
  catalogue,
  nodePools,
  nodes,
  nodeClaims,
  pods,
}: OfflineObjects): readonly string[] {
  const ofTypes = new Set([HOSTNAME_LABEL, NODEPOOL_LABEL]);
  for (const { requirements } of catalogue.instanceTypes) {
    for (const { key, operator } of requirements) if (operator !== 'DoesNotExist') ofTypes.add(key);
  }
  const notes: string[] = [];
  const known = new Set(ofTypes);
  for (const { metadata, spec } of nodePools) {
    for (const requirement of spec.template.spec.requirements) {
      if (!OF_TYPES.has(requirement.key) || ofTypes.has(requirement.key)) known.add(requirement.key);
      else if (asksForLabel(requirement)) {
        notes.push(`NodePool ${metadata.name} requires the label ${requirement.key}, which no instance type has`);
      }
    }
    for (const key of Object.keys(spec.template.metadata?.labels ?? {})) known.add(key);
    const { group, kind } = spec.template.spec.nodeClassRef;
    known.add(`${group}/${kind.toLowerCase()}`);
  }
  for (const { metadata } of [...nodes, ...nodeClaims])
    for (const key of Object.keys(metadata.labels ?? {})) known.add(key);
  const asking = new Map<string, string[]>();
  for (const pod of pods) {
    if (pod.spec.nodeName) continue;
    for (const key of labelsAskedFor(pod)) {
      if (!known.has(key)) asking.set(key, [...(asking.get(key) ?? []), objectKey(pod.metadata)]);
    }
  }
  for (const [key, names] of asking) {
    const more = names.length > MOST_PODS_NAMED ? ` and ${names.length - MOST_PODS_NAMED} more pods` : '';
    const listed = names.slice(0, MOST_PODS_NAMED).join(', ');
    const ask = names.length === 1 ? 'asks' : 'ask';
    notes.push(`${listed}${more} ${ask} for the label ${key}, which no instance type, NodePool or Node has`);
  }
  return notes;
}

/** The labels that a pod's node must have in any case: one of several terms is enough for node affinity. */
function labelsAskedFor({ spec }: Pod): ReadonlySet<string> {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const byTerm = terms.map(({ matchExpressions = [] }) => matchExpressions.filter(asksForLabel).map(({ key }) => key));
  const inAll = (byTerm[0] ?? []).filter((key) => byTerm.every((keys) => keys.includes(key)));
  return new Set([...Object.keys(spec.nodeSelector ?? {}), ...inAll]);
}

function asksForLabel({ operator }: Pick<RequirementSpec, 'operator'>): boolean {
  return operator !== 'NotIn' && operator !== 'DoesNotExist';
}
