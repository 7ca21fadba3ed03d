import { NODEPOOL_LABEL } from '@karpenter-ts/apis';
import { nanosToMilliseconds, type Node, NODES, parseDuration } from '@karpenter-ts/kubernetes';
import type { Client } from '@karpenter-ts/runtime';

/** Which nodes a step is about. */
export interface Choice {
  readonly nodes?: number | undefined;
  readonly nodePool?: string | undefined;
}

/** Nodes of ours that are to stay, by name: all of them, or those that are meant. */
export async function listNodes(
  { nodePool }: Choice,
  client: Client,
  isMeant: (node: Node) => boolean = () => true,
): Promise<readonly Node[]> {
  const labelSelector = nodePool === undefined ? NODEPOOL_LABEL : `${NODEPOOL_LABEL}=${nodePool}`;
  const { items } = await client.listAll<Node>(NODES, { labelSelector });
  const meant = items.filter((node) => node.metadata.deletionTimestamp === undefined && isMeant(node));
  return meant.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** `node a is` or `3 nodes are`. */
export function subject(nodes: readonly string[]): string {
  return nodes.length === 1 ? `node ${nodes[0]} is` : `${nodes.length} nodes are`;
}

export function milliseconds(duration: string): number {
  return nanosToMilliseconds(parseDuration(duration));
}
