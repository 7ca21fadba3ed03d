import type { Client } from '@karpenter-ts/runtime';
import { type Pod, PODS } from '@karpenter-ts/kubernetes';

/** Binds the pod to the node. The server refuses with a conflict if the pod was replaced, or is bound already. */
export async function bindPod(client: Client, { metadata }: Pod, node: string, signal: AbortSignal): Promise<void> {
  const { name, namespace, uid } = metadata;
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { kind: 'Node', name: node },
  };
  await client.create(PODS, binding, { subresource: 'binding' }, signal);
}
