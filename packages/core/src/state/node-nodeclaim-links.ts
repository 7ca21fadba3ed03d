import type { NodeClaim } from '@karpenter-ts/apis';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { Caches } from './caches.ts';
import type { Node, Pod } from '@karpenter-ts/kubernetes';
import { isManagedNodeClaim } from './managed.ts';

// A Node and a NodeClaim belong together when they have the same provider id (spec 03 §1.3). An object without one has no
// partner: a NodeClaim before its launch must not be joined to a Node without a provider id. Lookups use an index.

/** The Nodes with the NodeClaim's provider id: none or one, unless something is wrong. */
export function nodesOf(nodeClaim: NodeClaim, { nodes }: Pick<Caches, 'nodes'>): readonly Node[] {
  const providerId = nodeClaim.status?.providerID;
  return providerId ? nodes.byIndex('providerId', providerId) : [];
}

/** The NodeClaim's only Node. Also undefined if there are several, because it is unknown which one is right. */
export function findNode(nodeClaim: NodeClaim, caches: Pick<Caches, 'nodes'>): Node | undefined {
  const found = nodesOf(nodeClaim, caches);
  return found.length === 1 ? found[0] : undefined;
}

/** The NodeClaims with the Node's provider id, including those of other providers. */
function nodeClaimsOf(node: Node, { nodeClaims }: Pick<Caches, 'nodeClaims'>): readonly NodeClaim[] {
  const providerId = node.spec?.providerID;
  return providerId ? nodeClaims.byIndex('providerId', providerId) : [];
}

/** The Node's only NodeClaim. Also undefined if there are several. */
export function findNodeClaim(node: Node, caches: Pick<Caches, 'nodeClaims'>): NodeClaim | undefined {
  const found = nodeClaimsOf(node, caches);
  return found.length === 1 ? found[0] : undefined;
}

/** The pods bound to the Node of this name; none for ''. */
export function podsOn(nodeName: string, { pods }: Pick<Caches, 'pods'>): readonly Pod[] {
  return nodeName === '' ? [] : pods.byIndex('node', nodeName);
}

/** Names of the managed NodeClaims that an event of this Node enqueues. */
export function nodeClaimKeysOf(
  node: Node,
  { caches, provider }: { readonly caches: Pick<Caches, 'nodeClaims'>; readonly provider: CloudProvider },
): readonly string[] {
  const managed = nodeClaimsOf(node, caches).filter((nodeClaim) => isManagedNodeClaim(nodeClaim, provider));
  return managed.map(({ metadata }) => metadata.name);
}
