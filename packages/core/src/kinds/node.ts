import { isTrue, type Node, READY } from '@karpenter-ts/kubernetes';

/** Whether its kubelet says it can run pods. */
export function isReady(node: Node): boolean {
  return isTrue(node, READY);
}
