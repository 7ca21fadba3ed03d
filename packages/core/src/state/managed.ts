import { type NodeClaim, type NodePool, nodeClassLabel } from '@karpenter-ts/apis';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { Node } from '../kinds/node.ts';

// Builds for different providers may share a cluster: each leaves alone what refers to NodeClasses of the others
// (spec 03 §1.2).

type Kinds = Pick<CloudProvider, 'nodeClasses'>;

/** Whether a NodeClaim refers to a kind of NodeClass this provider understands. */
export function isManagedNodeClaim({ spec }: NodeClaim, provider: Kinds): boolean {
  return understands(spec.nodeClassRef, provider);
}

/** Whether NodeClaims of this NodePool would be managed. */
export function isManagedNodePool({ spec }: NodePool, provider: Kinds): boolean {
  return understands(spec.template.spec.nodeClassRef, provider);
}

/** Whether a Node carries the label of such a NodeClass, whatever its value. */
export function isManagedNode({ metadata }: Node, { nodeClasses }: Kinds): boolean {
  return nodeClasses.some((type) => metadata.labels?.[nodeClassLabel(type)] !== undefined);
}

function understands(ref: { readonly group: string; readonly kind: string }, { nodeClasses }: Kinds): boolean {
  return nodeClasses.some(({ group, kind }) => group === ref.group && kind === ref.kind);
}
