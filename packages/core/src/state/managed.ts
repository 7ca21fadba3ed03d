import { type NodeClaim, type NodePool, nodeClassLabel } from '@karpenter-ts/apis';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { Node } from '@karpenter-ts/kubernetes';

// Karpenter builds for different providers may share a cluster. Each ignores objects that refer to NodeClasses of another
// provider (spec 03 §1.2).

type Kinds = Pick<CloudProvider, 'nodeClasses'>;

/** Whether a NodeClaim refers to a NodeClass kind of this provider. */
export function isManagedNodeClaim({ spec }: NodeClaim, provider: Kinds): boolean {
  return understands(spec.nodeClassRef, provider);
}

/** Whether this NodePool refers to a NodeClass kind of this provider. */
export function isManagedNodePool({ spec }: NodePool, provider: Kinds): boolean {
  return understands(spec.template.spec.nodeClassRef, provider);
}

/** Whether a Node has the label of a NodeClass kind of this provider, with any value. */
export function isManagedNode({ metadata }: Node, { nodeClasses }: Kinds): boolean {
  return nodeClasses.some((type) => metadata.labels?.[nodeClassLabel(type)] !== undefined);
}

function understands(ref: { readonly group: string; readonly kind: string }, { nodeClasses }: Kinds): boolean {
  return nodeClasses.some(({ group, kind }) => group === ref.group && kind === ref.kind);
}
