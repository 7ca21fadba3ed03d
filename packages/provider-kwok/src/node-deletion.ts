import { type CancellableClient, isNotFound } from '@karpenter-ts/runtime';
import { NODES } from '@karpenter-ts/kubernetes';

/** Deletes a Node; harmless if there is none. */
export async function deleteNode(client: CancellableClient, name: string, signal: AbortSignal): Promise<void> {
  try {
    await client.delete(NODES, { name }, {}, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
