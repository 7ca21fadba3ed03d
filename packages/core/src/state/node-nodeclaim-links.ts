import type { NodeClaim } from '@karpenter-ts/apis';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { Caches } from './caches.ts';
import type { Node } from '../kinds/node.ts';
import type { Pod } from '../kinds/pod.ts';
import { isManagedNodeClaim } from './managed.ts';

// A Node and a NodeClaim belong together when they name the same machine (spec 03 §1.3). Without a provider id neither
// has a partner: a claim that is not launched must not meet a Node that has no id yet. A lookup costs what it finds.

/** The Nodes of a claim's machine: none or one, unless something is wrong. */
export function nodesOf(nodeClaim: NodeClaim, { nodes }: Pick<Caches, 'nodes'>): readonly Node[] {
  const providerId = nodeClaim.status?.providerID;
  return providerId ? nodes.byIndex('providerId', providerId) : [];
}

/** The claim's only Node; undefined also when there are several, since nobody can say which is right. */
export function findNode(nodeClaim: NodeClaim, caches: Pick<Caches, 'nodes'>): Node | undefined {
  const found = nodesOf(nodeClaim, caches);
  return found.length === 1 ? found[0] : undefined;
}

/** The claims of a Node's machine, those of other providers included. */
function nodeClaimsOf(node: Node, { nodeClaims }: Pick<Caches, 'nodeClaims'>): readonly NodeClaim[] {
  const providerId = node.spec?.providerID;
  return providerId ? nodeClaims.byIndex('providerId', providerId) : [];
}

/** The Node's only claim; undefined also when there are several. */
export function findNodeClaim(node: Node, caches: Pick<Caches, 'nodeClaims'>): NodeClaim | undefined {
  const found = nodeClaimsOf(node, caches);
  return found.length === 1 ? found[0] : undefined;
}

/** The pods bound to a Node of this name; none for ''. */
export function podsOn(nodeName: string, { pods }: Pick<Caches, 'pods'>): readonly Pod[] {
  return nodeName === '' ? [] : pods.byIndex('node', nodeName);
}

/** Names of the managed claims a change of this Node concerns: what a watch of Nodes enqueues. */
export function nodeClaimKeysOf(
  node: Node,
  { caches, provider }: { readonly caches: Pick<Caches, 'nodeClaims'>; readonly provider: CloudProvider },
): readonly string[] {
  const managed = nodeClaimsOf(node, caches).filter((nodeClaim) => isManagedNodeClaim(nodeClaim, provider));
  return managed.map(({ metadata }) => metadata.name);
}
