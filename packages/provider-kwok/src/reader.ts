import type { KWOKNodeClass, NodeClaim } from '@karpenter-ts/apis';
import { type ApiObject, type Node, NODES, type ResourceType } from '@karpenter-ts/kubernetes';
import { type CancellableClient, unlessGone } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { KWOK_NODE_CLASSES } from './resource-types.ts';

/** Where the provider reads from: the API server, or a cache of it. */
export interface KwokReader {
  findNodeClass(name: string, signal: AbortSignal): Promise<KWOKNodeClass | undefined>;
  findNode(name: string, signal: AbortSignal): Promise<Node | undefined>;
  listNodes(signal: AbortSignal): Promise<readonly Node[]>;
  listNodeClaims(signal: AbortSignal): Promise<readonly NodeClaim[]>;
}

/** Asks the API server each time. */
export function apiReader(client: CancellableClient): KwokReader {
  function find<T extends ApiObject>(type: ResourceType, name: string, signal: AbortSignal) {
    return unlessGone(client.get<T>(type, { name }, {}, signal));
  }
  return {
    findNodeClass: (name, signal) => find<KWOKNodeClass>(KWOK_NODE_CLASSES, name, signal),
    findNode: (name, signal) => find<Node>(NODES, name, signal),
    listNodes: async (signal) => (await client.listAll<Node>(NODES, {}, signal)).items,
    listNodeClaims: async (signal) => (await client.listAll<NodeClaim>(NODE_CLAIMS, {}, signal)).items,
  };
}

/** The part of an informer that the provider reads. */
interface CacheView<T> {
  get(key: string): T | undefined;
  list(): readonly T[];
}

/** Informers of what the provider reads. */
export interface KwokCaches {
  readonly nodes: CacheView<Node>;
  readonly nodeClaims: CacheView<NodeClaim>;
  readonly nodeClasses: CacheView<KWOKNodeClass>;
}

/** Reads from informers, which costs no request. They must have synced before the provider is called. */
export function cacheReader({ nodes, nodeClaims, nodeClasses }: KwokCaches): KwokReader {
  return {
    findNodeClass: async (name) => nodeClasses.get(name),
    findNode: async (name) => nodes.get(name),
    listNodes: async () => nodes.list(),
    listNodeClaims: async () => nodeClaims.list(),
  };
}
