import type { ResourceSlice } from '@karpenter-ts/kubernetes';

/** Names of the Nodes a slice is local to, by its field or by an owner. A slice for the whole cluster has none. */
export function nodeNamesOf({ metadata, spec }: ResourceSlice): readonly string[] {
  const owners = (metadata.ownerReferences ?? []).filter(({ kind }) => kind === 'Node').map(({ name }) => name);
  return spec.nodeName ? [...new Set([spec.nodeName, ...owners])] : owners;
}
