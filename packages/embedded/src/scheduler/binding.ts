import type { Client } from '@karpenter-ts/runtime';
import { type Pod, PODS } from '@karpenter-ts/kubernetes';

/** Binds the pod to the node. Refused with a conflict if it is another pod by now, or has a node already. */
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
