import { type CancellableClient, unlessGone } from '@karpenter-ts/runtime';
import { NODES } from '@karpenter-ts/kubernetes';

/** Deletes a Node; harmless if there is none. */
export async function deleteNode(client: CancellableClient, name: string, signal: AbortSignal): Promise<void> {
  await unlessGone(client.delete(NODES, { name }, {}, signal));
}
